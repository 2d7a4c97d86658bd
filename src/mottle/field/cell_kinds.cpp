// mottle/field/cell_kinds.cpp: a look at the bits of numbers, many at a time
#include "mottle/field/cell_kinds.h"

#include <bit>
#include <cstdint>

namespace mottle::field {
namespace {

// Loops without branches, on signed integers, which every vector unit compares.
[[gnu::always_inline]] inline CellKinds look_at_floats(const float* cells, std::size_t count) {
    constexpr std::int32_t kMagnitude = 0x7fffffff, kSmallestNormal = 0x00800000, kInfinity = 0x7f800000;
    std::int32_t infinite = 0, subnormal = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t bits = std::bit_cast<std::int32_t>(cells[i]) & kMagnitude;
        infinite |= bits >= kInfinity ? -1 : 0;
        subnormal |= (bits < kSmallestNormal ? -1 : 0) & bits;  // 0 is none
    }
    return {infinite != 0, subnormal != 0};
}

[[gnu::always_inline]] inline CellKinds look_at_doubles(const double* cells, std::size_t count) {
    constexpr std::int64_t kExponent = 0x7ff0000000000000;
    std::int64_t infinite = 0;
    for (std::size_t i = 0; i < count; ++i) infinite |= (std::bit_cast<std::int64_t>(cells[i]) & kExponent) == kExponent ? -1 : 0;
    return {infinite != 0, false};
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] CellKinds look_at_floats_avx2(const float* cells, std::size_t count) { return look_at_floats(cells, count); }
[[gnu::target("avx2")]] CellKinds look_at_doubles_avx2(const double* cells, std::size_t count) { return look_at_doubles(cells, count); }
#endif

}  // namespace

CellKinds kinds_of(std::span<const float> cells) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return look_at_floats_avx2(cells.data(), cells.size());
#endif
    return look_at_floats(cells.data(), cells.size());
}

CellKinds kinds_of(std::span<const double> cells) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return look_at_doubles_avx2(cells.data(), cells.size());
#endif
    return look_at_doubles(cells.data(), cells.size());
}

}  // namespace mottle::field
