// mottle/core/cancellation.h: how work that no observer hears of (preparation, checks, a first picture) is ended from outside
#pragma once
#include "mottle/core/error.h"

#include <atomic>
#include <chrono>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace mottle::core {

/// The work was ended from outside before it was done.
class Interrupted : public Error {
   public:
    Interrupted();
    const char* kind() const override { return "interrupted"; }
    int exit_code() const override { return 130; }
};

/// A request to end work. Any thread may ask, and so may a signal handler.
class Cancellation {
   public:
    void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> asked_{false};
    static_assert(std::atomic<bool>::is_always_lock_free);
};

/// While it lives, `cancellation_point` on this thread, and on the workers of a ThreadTeam that it runs, heeds `cancellation`, which must outlive
/// it. Scopes nest; nullptr heeds none.
class CancellationScope {
   public:
    explicit CancellationScope(const Cancellation* cancellation) noexcept;
    ~CancellationScope();
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;

    /// What this thread heeds, or nullptr.
    static const Cancellation* current() noexcept;

   private:
    const Cancellation* before_;
};

/// Stands in every loop of preparation that may take long: costs a load. Throws: Interrupted.
void cancellation_point();

/// The result of `work`, which cannot be asked to stop (a foreign compiler). Where this thread heeds a cancellation, the work has a thread of its
/// own, which is left alone when the cancellation comes and then works for nothing: `work` must own, by value, all that it touches, and who ends
/// the process afterwards does so without destructors (std::_Exit). Throws: Interrupted, and what `work` throws.
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
