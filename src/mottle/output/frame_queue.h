// mottle/output/frame_queue.h: frames on their way to a thread of their own: a few buffers made once, filled and emptied in order
#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace mottle::output {

/// One thread fills, the queue's own thread empties; neither allocates a frame.
class FrameQueue {
   public:
    using Consume = std::function<void(std::span<const std::uint8_t> frame)>;

    /// Up to 8 buffers of `frame_bytes`, fewer (at least 2) where they would need more than 64 MiB. `consume` runs in the queue's thread.
    FrameQueue(std::size_t frame_bytes, Consume consume);
    /// Ends the thread; frames not yet consumed are dropped.
    ~FrameQueue();
    FrameQueue(const FrameQueue&) = delete;
    FrameQueue& operator=(const FrameQueue&) = delete;

    /// A buffer to fill; waits until one is free. Rethrows what `consume` or `complete` threw.
    std::span<std::uint8_t> acquire();
    /// Hands over the buffer last acquired. `complete`: called before it is consumed, in the queue's thread; empty: the frame is there.
    void push(std::function<void()> complete = {});
    /// Waits until all frames are consumed and ends the thread. Rethrows what `consume` threw. No call may follow but seconds().
    void close();
    /// Wall seconds spent inside `consume`.
    double seconds() const;
    /// Wall seconds that acquire() and close() waited.
    double waited() const { return waited_; }

   private:
    void work();
    void end_thread(bool drop);

    const std::size_t frame_bytes_;
    const Consume consume_;
    std::vector<std::unique_ptr<std::uint8_t[]>> buffers_;
    std::vector<std::function<void()>> complete_;  ///< of each buffer
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t filled_ = 0, consumed_ = 0;  ///< frames so far; buffer i % size() belongs to frame i
    bool closing_ = false, dropping_ = false;
    std::exception_ptr error_;
    double seconds_ = 0;
    double waited_ = 0;  ///< of the filling thread
    std::thread thread_;
};

}  // namespace mottle::output
