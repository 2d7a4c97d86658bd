// mottle/core/placement.h: on which core a sleeping thread is woken
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace mottle::core {

/// Where a worker may run. A sleeper is often woken on the core of who wakes it, and waits there until the next tick of the scheduler (4 ms) finds it
/// another, while that one spins for it. So it is kept off that core until it has begun. Does nothing but on Linux.
class Placement {
   public:
    /// By the worker itself, around its sleep.
    void sleeps(bool asleep) { asleep_.store(asleep, std::memory_order_relaxed); }
    /// By who is about to wake it: before the change that the worker waits for.
    void keep_off_this_core(std::thread& worker);
    /// By the worker once it has seen that change: where it was allowed to run before.
    void restore();

   private:
    std::atomic<bool> asleep_{false};
    bool moved_ = false;
    std::array<std::uint64_t, 16> allowed_{};  ///< while moved: a bit per core, as the system counts them
};

}  // namespace mottle::core
