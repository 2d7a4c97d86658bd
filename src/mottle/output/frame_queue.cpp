// mottle/output/frame_queue.cpp: the ring of buffers and its thread
#include "mottle/output/frame_queue.h"

#include "mottle/core/stopwatch.h"

#include <algorithm>
#include <utility>

namespace mottle::output {
namespace {

constexpr std::size_t kMostBuffers = 8, kFewestBuffers = 2;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

}  // namespace

FrameQueue::FrameQueue(std::size_t frame_bytes, Consume consume) : frame_bytes_(frame_bytes), consume_(std::move(consume)) {
    buffers_.resize(std::clamp(kMostBytes / std::max<std::size_t>(frame_bytes, 1), kFewestBuffers, kMostBuffers));
    for (auto& buffer : buffers_) buffer = std::make_unique_for_overwrite<std::uint8_t[]>(frame_bytes);
    complete_.resize(buffers_.size());
    thread_ = std::thread([this] { work(); });
}

FrameQueue::~FrameQueue() { end_thread(true); }

std::span<std::uint8_t> FrameQueue::acquire() {
    const auto start = core::SteadyClock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ - consumed_ < buffers_.size(); });  // a failed frame counts as consumed
    waited_ += core::seconds_since(start);
    if (error_) std::rethrow_exception(error_);
    return {buffers_[filled_ % buffers_.size()].get(), frame_bytes_};
}

void FrameQueue::push(std::function<void()> complete) {
    const std::lock_guard lock(mutex_);
    complete_[filled_ % buffers_.size()] = std::move(complete);
    ++filled_;
    changed_.notify_all();
}

void FrameQueue::close() {
    const auto start = core::SteadyClock::now();
    end_thread(false);
    waited_ += core::seconds_since(start);
    if (error_) std::rethrow_exception(error_);
}

double FrameQueue::seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
}

void FrameQueue::end_thread(bool drop) {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        dropping_ = dropping_ || drop;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void FrameQueue::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return closing_ || filled_ > consumed_; });
        if (filled_ == consumed_ || dropping_) return;
        const std::span<const std::uint8_t> frame(buffers_[consumed_ % buffers_.size()].get(), frame_bytes_);
        std::function<void()> complete = std::exchange(complete_[consumed_ % buffers_.size()], nullptr);
        lock.unlock();
        auto start = core::SteadyClock::now();
        std::exception_ptr error;
        try {
            if (complete) {
                complete();
                complete = nullptr;
                start = core::SteadyClock::now();
            }
            consume_(frame);
        } catch (...) {
            error = std::current_exception();
        }
        const double spent = core::seconds_since(start);
        lock.lock();
        seconds_ += spent;
        ++consumed_;
        error_ = error;
        changed_.notify_all();
        if (error_) return;
    }
}

}  // namespace mottle::output
