// mottle/ranks/mpi/wait.h: waiting for another process
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace mottle::ranks {

/// Asks `done` until it is so: at once while something is about to come, then less and less often, so that a rank that waits for rank 0 takes no core.
template <class Done>
void wait_until(const Done& done) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kSoon = std::chrono::microseconds(300);
    constexpr auto kRarely = std::chrono::microseconds(500);
    const auto start = Clock::now();
    auto pause = std::chrono::microseconds(10);
    while (!done()) {
        if (Clock::now() - start < kSoon) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min<std::chrono::microseconds>(2 * pause, kRarely);
        }
    }
}

}  // namespace mottle::ranks
