// mottle/core/cancellation.h: ends work that no observer can stop (preparation, checks, a first picture) from another thread
#pragma once
#include "mottle/core/error.h"

#include <atomic>
#include <chrono>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace mottle::core {

/// The work was cancelled before it was complete.
class Interrupted : public Error {
   public:
    Interrupted();
    const char* kind() const override { return "interrupted"; }
    int exit_code() const override { return 130; }
};

/// A request to end work. Any thread may ask, and so may a signal handler.
class Cancellation {
   public:
    Cancellation() = default;
    /// Of a part of some work: asked whenever that of `whole` is, which must outlive it; nullptr: of nothing else.
    explicit Cancellation(const Cancellation* whole) noexcept : whole_(whole) {}
    void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed) || (whole_ && whole_->is_asked()); }

   private:
    std::atomic<bool> asked_{false};
    const Cancellation* whole_ = nullptr;
    static_assert(std::atomic<bool>::is_always_lock_free);
};

/// During its lifetime, `cancellation_point` on this thread, and on the workers of a ThreadTeam that it runs, reacts to `cancellation`, which must outlive
/// it. Scopes nest; with nullptr there is no reaction.
class CancellationScope {
   public:
    explicit CancellationScope(const Cancellation* cancellation) noexcept;
    ~CancellationScope();
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;

    /// The cancellation that applies to this thread, or nullptr.
    static const Cancellation* current() noexcept;

   private:
    const Cancellation* before_;
};

/// To be called in every loop of preparation that may take long; costs one load. Throws: Interrupted.
void cancellation_point();

/// The result of `work`, which cannot be stopped (a foreign compiler). If a cancellation applies to this thread, the work runs in a thread of its own,
/// which is abandoned on cancellation: it runs on and its result is dropped. Therefore `work` must own, by value, all that it uses, and the process must
/// then end without destructors (std::_Exit). Throws: Interrupted, and what `work` throws.
template <class Work>
auto compute_or_abandon(const Work& work) -> decltype(work()) {
    if (CancellationScope::current() == nullptr) return work();
    std::packaged_task<decltype(work())()> task(work);
    std::future<decltype(work())> result = task.get_future();
    std::thread thread;
    try {
        thread = std::thread(std::move(task));
    } catch (const std::system_error&) {  // as many threads as there may be
        return work();
    }
    try {
        while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) cancellation_point();
    } catch (...) {
        thread.detach();
        throw;
    }
    thread.join();
    return result.get();
}

}  // namespace mottle::core
