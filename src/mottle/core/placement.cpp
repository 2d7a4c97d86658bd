// mottle/core/placement.cpp: a thread's set of cores, less one until it has begun
#include "mottle/core/placement.h"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>

#include <cstring>
#endif

namespace mottle::core {

#if defined(__linux__)

void Placement::keep_off_this_core(std::thread& worker) {
    if (!asleep_.load(std::memory_order_relaxed)) return;
    cpu_set_t all, others;
    static_assert(sizeof all == sizeof allowed_);
    const int core = sched_getcpu();
    if (core < 0 || pthread_getaffinity_np(worker.native_handle(), sizeof all, &all) != 0) return;
    others = all;
    CPU_CLR(core, &others);
    moved_ = CPU_COUNT(&others) > 0 && CPU_COUNT(&others) < CPU_COUNT(&all) &&
             pthread_setaffinity_np(worker.native_handle(), sizeof others, &others) == 0;
    std::memcpy(allowed_.data(), &all, sizeof all);
}

void Placement::restore() {
    if (!moved_) return;
    cpu_set_t all;
    std::memcpy(&all, allowed_.data(), sizeof all);
    pthread_setaffinity_np(pthread_self(), sizeof all, &all);
    moved_ = false;
}

#else

void Placement::keep_off_this_core(std::thread&) {}
void Placement::restore() {}

#endif

}  // namespace mottle::core
