// mottle/ranks/mpi/wait.h: waiting for another process
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace mottle::ranks {

/// Asks `done` until it is so: at once while something is about to come, then less and less often, so that a rank that waits for rank 0 takes no core. A pause
/// is a small part of what it has waited so far, and so is what it waits too long.
template <class Done>
void wait_until(const Done& done) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kSoon = std::chrono::microseconds(300);
    constexpr auto kRarely = std::chrono::microseconds(500);
    constexpr int kPart = 16;
    const auto start = Clock::now();
    while (!done()) {
        const Clock::duration waited = Clock::now() - start;
        if (waited < kSoon)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::min<Clock::duration>(waited / kPart, kRarely));
    }
}

}  // namespace mottle::ranks
