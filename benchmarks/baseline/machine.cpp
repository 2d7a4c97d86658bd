// mottle/benchmarks/baseline/machine.cpp: pinned workers, huge pages, the clock
#include "baseline/machine.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mottle::benchmarks {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

HugeBuffer::HugeBuffer(std::size_t floats) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = (floats * sizeof(float) + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 0, bytes);
    data_ = static_cast<float*>(memory);
}
HugeBuffer::~HugeBuffer() { std::free(data_); }
HugeBuffer::HugeBuffer(HugeBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
HugeBuffer& HugeBuffer::operator=(HugeBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
}

#if defined(__x86_64__)
FlushSubnormals::FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(static_cast<unsigned>(before_) | 0x8040U); }
FlushSubnormals::~FlushSubnormals() { _mm_setcsr(static_cast<unsigned>(before_)); }
#elif defined(__aarch64__)
FlushSubnormals::FlushSubnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | (std::uint64_t{1} << 24)));
}
FlushSubnormals::~FlushSubnormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
#else
FlushSubnormals::FlushSubnormals() : before_(0) {}
FlushSubnormals::~FlushSubnormals() = default;
#endif

void Barrier::pause(int spins) {
    if (spins > 10000) {
        std::this_thread::yield();
        return;
    }
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

Pinned::Pinned(int worker) {
    static_assert(sizeof(cpu_set_t) <= sizeof before_);
    auto* before = reinterpret_cast<cpu_set_t*>(before_);
    CPU_ZERO(before);
    if (sched_getaffinity(0, sizeof *before, before) != 0) return;
    int skip = worker % CPU_COUNT(before);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, before) || skip-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
Pinned::~Pinned() { sched_setaffinity(0, sizeof(cpu_set_t), reinterpret_cast<cpu_set_t*>(before_)); }

void run_workers(int size, const std::function<void(int worker)>& work) {
    // Pinned last on the caller, so that the others still start with the whole set of cores.
    std::vector<std::thread> threads;
    for (int worker = 1; worker < size; ++worker) {
        threads.emplace_back([&work, worker] {
            const Pinned pinned(worker);
            const FlushSubnormals flush;
            work(worker);
        });
    }
    {
        const Pinned pinned(0);
        const FlushSubnormals flush;
        work(0);
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace mottle::benchmarks
