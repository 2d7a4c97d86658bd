// mottle/benchmarks/baseline/gather.cpp: 8-byte words from 16-bit indices: gathered by AVX-512 or AVX2, or loaded one by one
#include "baseline/gather.h"

#include "baseline/machine.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
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

// Eight loads, joined to one vector: faster than the gather on some processors.
__attribute__((target("avx512f,avx512vl"))) double pass_loads(const double* words, const std::uint16_t* index) {
    __m512d sum = _mm512_setzero_pd();
    for (int i = 0; i < kIndices; i += 8) {
        __m128d pair[4];
        for (int k = 0; k < 2; ++k) {
            std::uint64_t four = 0;
            std::memcpy(&four, index + i + 4 * k, sizeof four);
            pair[2 * k] = _mm_loadh_pd(_mm_load_sd(words + (four & 0xffff)), words + (four >> 16 & 0xffff));
            pair[2 * k + 1] = _mm_loadh_pd(_mm_load_sd(words + (four >> 32 & 0xffff)), words + (four >> 48));
        }
        const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair[0]), pair[1], 1),
                      high = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair[2]), pair[3], 1);
        sum = _mm512_add_pd(sum, _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1));
    }
    return _mm512_reduce_add_pd(sum);
}
#endif

double pass_plain(const double* words, const std::uint16_t* index) {
    double sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < kIndices; i += 4) {
        for (int k = 0; k < 4; ++k) sum[k] += words[index[i + k]];
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

using Pass = double (*)(const double*, const std::uint16_t*);

std::vector<Pass> passes_here() {
    std::vector<Pass> passes = {pass_plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) passes.push_back(pass_avx2);
    if (__builtin_cpu_supports("avx512vl")) passes.insert(passes.end(), {pass_avx512, pass_loads});
#endif
    return passes;
}

}  // namespace

double fetched_words(int threads, double seconds) {
    double best = 0;
    std::vector<double> rates(static_cast<std::size_t>(threads));
    const std::vector<Pass> passes = passes_here();
    const std::size_t stretches = kStretches * passes.size();
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
        run_workers(threads, [&](int worker) {
            alignas(64) double words[kWords];
            alignas(64) std::uint16_t index[kIndices];
            for (int i = 0; i < kWords; ++i) words[i] = i;
            for (int i = 0; i < kIndices; ++i)
                index[i] = static_cast<std::uint16_t>((static_cast<unsigned>(i) * 2654435761U >> 8) % kWords);
            const Pass pass = passes[stretch % passes.size()];
            volatile double keep = 0;
            const double start = seconds_now();
            double passed = 0, calls = 0;
            while (passed < seconds / static_cast<double>(stretches)) {
                for (int n = 0; n < 64; ++n) keep = keep + pass(words, index);
                calls += 64;
                passed = seconds_now() - start;
            }
            rates[static_cast<std::size_t>(worker)] = calls * kIndices / passed;
        });
        double sum = 0;
        for (const double rate : rates) sum += rate;
        best = std::max(best, sum);
    }
    return best;
}

}  // namespace mottle::benchmarks
