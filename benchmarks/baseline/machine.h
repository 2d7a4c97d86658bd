// mottle/benchmarks/baseline/machine.h: what the baselines need of the machine: pinned workers that flush subnormals, memory in huge pages, a clock
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace mottle::benchmarks {

double seconds_now();

/// Zeroed floats in huge pages, aligned to them. The pages are first touched by the thread that makes the buffer.
class HugeBuffer {
   public:
    HugeBuffer() = default;
    explicit HugeBuffer(std::size_t floats);
    ~HugeBuffer();
    HugeBuffer(HugeBuffer&& other) noexcept;
    HugeBuffer& operator=(HugeBuffer&& other) noexcept;
    float* data() const { return data_; }

   private:
    float* data_ = nullptr;
};

/// While it lives, this thread flushes subnormal numbers to zero, operands and results.
class FlushSubnormals {
   public:
    FlushSubnormals();
    ~FlushSubnormals();
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;

   private:
    std::uint64_t before_;
};

/// While it lives, this thread runs on the `worker`-th of the cores this process may use.
class Pinned {
   public:
    explicit Pinned(int worker);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

   private:
    alignas(8) unsigned char before_[128];
};

/// Spins for some microseconds, then lets others run.
class Barrier {
   public:
    explicit Barrier(int size) : size_(size) {}
    /// `round` counts the calls of this worker.
    void wait(std::int64_t& round) {
        const std::int64_t target = ++round * size_;
        arrived_.fetch_add(1, std::memory_order_acq_rel);
        for (int spins = 0; arrived_.load(std::memory_order_acquire) < target; ++spins) pause(spins);
    }

   private:
    static void pause(int spins);
    int size_;
    std::atomic<std::int64_t> arrived_{0};
};

/// Runs `work(worker)` on `size` pinned threads that flush subnormals; the caller is worker 0.
void run_workers(int size, const std::function<void(int worker)>& work);

}  // namespace mottle::benchmarks
