// mottle/backend/cpu/compile/gather_speed.cpp: times both ways to fetch words
#include "mottle/backend/cpu/compile/gather_speed.h"

#include "mottle/core/stopwatch.h"
#include "mottle/core/vector_level.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mottle::backend::cpu {

#if defined(__x86_64__)
namespace {

constexpr std::size_t kWords = 512;  // 4 KiB: they stay in the first cache
constexpr int kTurns = 6, kTimesInTurn = 16;
constexpr double kWorthIt = 2;  // a kernel has other work for the units that join words: gathers that are a little slower still pay

struct Fetches {
    std::array<double, kWords> words{};
    std::array<std::uint16_t, kWords> places{};
};

// The forms with masks, as GCC 12 warns of its own header for the others.
constexpr __mmask8 kAll = 0xff;

MOTTLE_TARGET("avx512f") double first_of(__m512d values) {
    std::array<double, 8> all;
    _mm512_storeu_pd(all.data(), values);
    return all[0];
}

MOTTLE_TARGET("avx512f") double gathered(const Fetches& fetches) {
    __m512d sum = _mm512_setzero_pd();
    for (std::size_t i = 0; i < kWords; i += 8) {
        const __m128i places = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&fetches.places[i]));
        const __m512i wide = _mm512_maskz_cvtepu16_epi64(kAll, places);
        sum = _mm512_add_pd(sum, _mm512_mask_i64gather_pd(sum, kAll, wide, fetches.words.data(), 8));
    }
    return first_of(sum);
}

MOTTLE_TARGET("avx512f") double loaded(const Fetches& fetches) {
    __m512d sum = _mm512_setzero_pd();
    const auto word = [&](std::size_t i) { return fetches.words[fetches.places[i]]; };
    for (std::size_t i = 0; i < kWords; i += 8) {
        sum = _mm512_add_pd(
            sum, _mm512_setr_pd(word(i), word(i + 1), word(i + 2), word(i + 3), word(i + 4), word(i + 5), word(i + 6), word(i + 7)));
    }
    return first_of(sum);
}

double seconds_of(double (*fetch)(const Fetches&), const Fetches& fetches) {
    volatile double used = 0;
    const auto start = core::SteadyClock::now();
    for (int i = 0; i < kTimesInTurn; ++i) used = fetch(fetches);
    static_cast<void>(used);
    return core::seconds_since(start);
}

bool measure() {
    if (core::widest_level() < core::VectorLevel::avx512) return true;
    Fetches fetches;
    for (std::size_t i = 0; i < kWords; ++i) fetches.places[i] = static_cast<std::uint16_t>(i * 37 % kWords);
    double by_gather = 1, by_loads = 1;  // seconds; the first turns wait for the processor to power its wide units
    for (int turn = 0; turn < kTurns; ++turn) {
        by_gather = std::min(by_gather, seconds_of(gathered, fetches));
        by_loads = std::min(by_loads, seconds_of(loaded, fetches));
    }
    return by_gather < kWorthIt * by_loads;
}

}  // namespace

bool gather_is_fast() {
    static const bool fast = measure();
    return fast;
}
#else
bool gather_is_fast() { return true; }
#endif

}  // namespace mottle::backend::cpu
