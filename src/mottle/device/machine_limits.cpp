// mottle/device/machine_limits.cpp: chains of multiply-adds and sums in registers, and copies of buffers
#include "mottle/device/machine_limits.h"

#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/core/index.h"
#include "mottle/core/provenance.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/system_memory.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace mottle::device {

namespace {

constexpr float kFactor = 0.999F, kTerm = 0.001F;  // x -> kFactor x + kTerm stays near 1
constexpr long kRounds = 20000;                    // some tens of microseconds

/// Runs kRounds of every chain; the sum keeps the compiler from leaving them out.
struct Chains {
    float (*run)();
    double operations;  ///< of one call
};

#if defined(__x86_64__)
// Some processors have units of their own for sums, beside those for multiply-adds, others do both in the same ones: half and half keeps all busy.
// Two units with a latency of four cycles need eight chains of a kind; a few more hide what else happens.
__attribute__((target("avx512f"))) float chains_avx512() {
    __m512 c[12], d[12];
    const __m512 a = _mm512_set1_ps(kFactor), b = _mm512_set1_ps(kTerm);
    for (int i = 0; i < 12; ++i) c[i] = d[i] = _mm512_set1_ps(static_cast<float>(i) / 16);
    for (long n = 0; n < kRounds; ++n) {
        for (int i = 0; i < 12; ++i) {
            c[i] = _mm512_fmadd_ps(c[i], a, b);
            d[i] = _mm512_add_ps(d[i], b);
        }
    }
    for (int i = 0; i < 12; ++i) c[0] = _mm512_add_ps(c[0], _mm512_add_ps(c[i], d[i]));
    return c[0][0];
}

__attribute__((target("avx2,fma"))) float chains_avx2() {  // all that sixteen registers hold
    __m256 c[7], d[7];
    const __m256 a = _mm256_set1_ps(kFactor), b = _mm256_set1_ps(kTerm);
    for (int i = 0; i < 7; ++i) c[i] = d[i] = _mm256_set1_ps(static_cast<float>(i) / 16);
    for (long n = 0; n < kRounds; ++n) {
        for (int i = 0; i < 7; ++i) {
            c[i] = _mm256_fmadd_ps(c[i], a, b);
            d[i] = _mm256_add_ps(d[i], b);
        }
    }
    for (int i = 0; i < 7; ++i) c[0] = _mm256_add_ps(c[0], _mm256_add_ps(c[i], d[i]));
    return c[0][0];
}
#endif

#if defined(__aarch64__)
constexpr double kPortableOperations = 16.0 * 4;
float chains_portable() {
    float32x4_t c[8], d[8];
    const float32x4_t a = vdupq_n_f32(kFactor), b = vdupq_n_f32(kTerm);
    for (int i = 0; i < 8; ++i) c[i] = d[i] = vdupq_n_f32(static_cast<float>(i) / 16);
    for (long n = 0; n < kRounds; ++n) {
        for (int i = 0; i < 8; ++i) {
            c[i] = vfmaq_f32(b, c[i], a);
            d[i] = vaddq_f32(d[i], b);
        }
    }
    for (int i = 0; i < 8; ++i) c[0] = vaddq_f32(c[0], vaddq_f32(c[i], d[i]));
    return vgetq_lane_f32(c[0], 0);
}
#else
constexpr double kPortableOperations = 12.0 * 4 * 2;
float chains_portable() {
    typedef float Vector __attribute__((vector_size(16)));
    Vector c[12];
    const Vector a = {kFactor, kFactor, kFactor, kFactor}, b = {kTerm, kTerm, kTerm, kTerm};
    for (int i = 0; i < 12; ++i) c[i] = a * (static_cast<float>(i) / 16);
    for (long n = 0; n < kRounds; ++n) {
        for (int i = 0; i < 12; ++i) c[i] = c[i] * a + b;
    }
    for (int i = 1; i < 12; ++i) c[0] = c[0] + c[i];
    return c[0][0];
}
#endif

Chains chains_of(const std::string& isa) {
#if defined(__x86_64__)
    if (isa == "avx512") return {chains_avx512, 24.0 * 16 * kRounds};
    if (isa == "avx2") return {chains_avx2, 14.0 * 8 * kRounds};
#endif
    static_cast<void>(isa);
    return {chains_portable, kPortableOperations * kRounds};
}

/// Amount of work per second: `work` does `amount` of it per call and thread. The best of five stretches, on the first `threads` of a team.
double best_rate(core::ThreadTeam& team, int threads, double seconds, double amount, const std::function<void(int worker)>& work) {
    constexpr int kStretches = 5;
    double best = 0;
    for (int stretch = 0; stretch < kStretches; ++stretch) {
        std::vector<double> rates(core::at(threads), 0);
        team.run([&](int worker) {
            team.barrier();
            if (worker >= threads) return;
            const auto start = core::SteadyClock::now();
            double passed = 0, calls = 0;
            while (passed < seconds / kStretches) {
                work(worker);
                calls += 1;
                passed = core::seconds_since(start);
            }
            rates[core::at(worker)] = calls * amount / passed;
        });
        double sum = 0;
        for (const double rate : rates) sum += rate;
        best = std::max(best, sum);
    }
    return best;
}

/// Two buffers for each thread, touched by the thread that uses them.
class Buffers {
   public:
    Buffers(core::ThreadTeam& team, std::size_t bytes) : bytes_(bytes), memory_(core::at(team.size())) {
        team.run([&](int worker) {
            auto& own = memory_[core::at(worker)];
            own = std::make_unique<std::byte[]>(2 * bytes_ + 64);  // sets every byte: the pages are there
        });
    }
    void copy(int worker, int times) const {
        std::byte* from = memory_[core::at(worker)].get();
        for (int i = 0; i < times; ++i) {
            std::memcpy(from + bytes_, from, bytes_);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
    }

   private:
    std::size_t bytes_;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

CopyLimit copy_limit(core::ThreadTeam& team, const std::string& level, std::size_t bytes, double seconds) {
    const Buffers buffers(team, bytes);
    const int times = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 20) / bytes));
    const double amount = 2.0 * static_cast<double>(bytes) * times;
    auto work = [&](int worker) { buffers.copy(worker, times); };
    return {level, bytes, best_rate(team, 1, seconds / 2, amount, work), best_rate(team, team.size(), seconds / 2, amount, work)};
}

double measure_operations(core::ThreadTeam& team, int threads, const std::string& isa, double seconds) {
    const Chains chains = chains_of(isa);
    std::vector<float> sums(core::at(team.size()));
    auto work = [&](int worker) { static_cast<volatile float&>(sums[core::at(worker)]) = chains.run(); };
    return best_rate(team, threads, seconds, chains.operations, work);
}

/// Of a line of the file: the CPU, the level of its kernels and the threads.
std::string key_of(int threads) {
    return core::hash_hex(
        core::hash_text(core::cpu_name() + "\n" + backend::cpu::host_isa().name + "\nwith sums\n" + std::to_string(threads)));
}

std::filesystem::path limits_file(const std::filesystem::path& cache) { return cache / "limits.txt"; }

}  // namespace

std::optional<double> kept_operations(const std::filesystem::path& cache, int threads) {
    const std::optional<std::string> text = cache.empty() ? std::nullopt : core::read_file(limits_file(cache));
    const std::string key = key_of(threads) + " ";
    const std::size_t at = text ? text->find(key) : std::string::npos;
    if (at == std::string::npos) return std::nullopt;
    const std::size_t from = at + key.size();
    double value = 0;
    if (!core::parse_number(text->substr(from, text->find('\n', from) - from), value) || !(value > 0)) return std::nullopt;
    return value;
}

double keep_operations(core::ThreadTeam& team, const std::filesystem::path& cache, double seconds) {
    const double before = kept_operations(cache, team.size()).value_or(0);
    const double now = measure_operations(team, team.size(), backend::cpu::host_isa().name, seconds);
    if (now <= before || cache.empty()) return std::max(now, before);
    const std::string key = key_of(team.size());
    std::string kept = core::read_file(limits_file(cache)).value_or("");
    if (const std::size_t at = kept.find(key); at != std::string::npos) kept.erase(at, kept.find('\n', at) - at + 1);
    kept += key + " " + core::number_text(now) + "\n";
    try {
        std::error_code ignored;
        std::filesystem::create_directories(cache, ignored);
        core::AtomicFile file(limits_file(cache));
        file.write(std::as_bytes(std::span(kept)));
        file.commit();
    } catch (const core::OutputError&) {  // the next run measures again
    }
    return now;
}

MachineLimits measure_limits(core::ThreadTeam& team, double seconds) {
    MachineLimits limits;
    limits.isa = backend::cpu::host_isa().name;
    const double share = seconds / 8;
    limits.operations_one = measure_operations(team, 1, limits.isa, share);
    limits.operations_all = measure_operations(team, team.size(), limits.isa, share);
    const std::size_t large = std::min<std::size_t>(std::size_t{96} << 20, core::available_memory() / 8 / core::at(team.size()));
    limits.copies.push_back(copy_limit(team, "L1", std::size_t{12} << 10, 2 * share));
    limits.copies.push_back(copy_limit(team, "L2", std::size_t{320} << 10, 2 * share));
    limits.copies.push_back(copy_limit(team, "memory", large, 2 * share));
    return limits;
}

}  // namespace mottle::device
