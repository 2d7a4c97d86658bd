// mottle/benchmarks/baseline/gather.cpp: gathers of 8-byte words, AVX-512, AVX2 or one by one
#include "baseline/gather.h"

#include "baseline/machine.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // what g++ 12 says of the unmasked gathers in its own header
#endif
#endif

namespace mottle::benchmarks {
namespace {

constexpr int kWords = 2048, kIndices = 4096;  // 16 KiB and 8 KiB: both stay in the first cache
constexpr int kStretches = 5;

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl"))) double pass_avx512(const double* words, const std::uint16_t* index) {
    __m512d sum[4] = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
    for (int i = 0; i < kIndices; i += 32) {
        for (int k = 0; k < 4; ++k) {
            const __m256i at = _mm256_cvtepu16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(index + i + 8 * k)));
            sum[k] = _mm512_add_pd(sum[k], _mm512_i32gather_pd(at, words, 8));
        }
    }
    return _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(sum[0], sum[1]), _mm512_add_pd(sum[2], sum[3])));
}

__attribute__((target("avx2"))) double pass_avx2(const double* words, const std::uint16_t* index) {
    __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    for (int i = 0; i < kIndices; i += 16) {
        for (int k = 0; k < 4; ++k) {
            const __m128i at = _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(index + i + 4 * k)));
            sum[k] = _mm256_add_pd(sum[k], _mm256_i32gather_pd(words, at, 8));
        }
    }
    const __m256d all = _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
    return all[0] + all[1] + all[2] + all[3];
}
#endif

double pass_plain(const double* words, const std::uint16_t* index) {
    double sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < kIndices; i += 4) {
        for (int k = 0; k < 4; ++k) sum[k] += words[index[i + k]];
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

double (*best_pass())(const double*, const std::uint16_t*) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl")) return pass_avx512;
    if (__builtin_cpu_supports("avx2")) return pass_avx2;
#endif
    return pass_plain;
}

}  // namespace

double gathered_words(int threads, double seconds) {
    double best = 0;
    std::vector<double> rates(static_cast<std::size_t>(threads));
    for (int stretch = 0; stretch < kStretches; ++stretch) {
        run_workers(threads, [&](int worker) {
            alignas(64) double words[kWords];
            alignas(64) std::uint16_t index[kIndices];
            for (int i = 0; i < kWords; ++i) words[i] = i;
            for (int i = 0; i < kIndices; ++i)
                index[i] = static_cast<std::uint16_t>((static_cast<unsigned>(i) * 2654435761U >> 8) % kWords);
            const auto pass = best_pass();
            volatile double keep = 0;
            const double start = seconds_now();
            double passed = 0, passes = 0;
            while (passed < seconds / kStretches) {
                for (int n = 0; n < 64; ++n) keep = keep + pass(words, index);
                passes += 64;
                passed = seconds_now() - start;
            }
            rates[static_cast<std::size_t>(worker)] = passes * kIndices / passed;
        });
        double sum = 0;
        for (const double rate : rates) sum += rate;
        best = std::max(best, sum);
    }
    return best;
}

}  // namespace mottle::benchmarks
