// mottle/field/cell_kinds.cpp: a look at the bits of numbers, many at a time
#include "mottle/field/cell_kinds.h"

#include "mottle/core/vector_level.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace mottle::field {
namespace {

// Loops without branches, on integers, which every vector unit compares; unrolled, as nothing else hides what a turn of the loop costs.
[[gnu::always_inline]] inline CellKinds look_at_floats(const float* cells, std::size_t count) {
    constexpr std::int32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
    constexpr std::uint32_t kSmallestNormal = 0x00800000;
    std::int32_t greatest = 0;
    std::uint32_t least = ~0u;  // magnitude less one: of 0 it is the greatest of all, as 0 is not subnormal
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t bits = std::bit_cast<std::int32_t>(cells[i]) & kMagnitude;
        greatest = std::max(greatest, bits);
        least = std::min(least, static_cast<std::uint32_t>(bits) - 1);
    }
    return {greatest >= kInfinity, least < kSmallestNormal - 1};
}

[[gnu::always_inline]] inline bool look_at_doubles(const double* cells, std::size_t count, double bound) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const std::uint64_t rest = kSign - std::bit_cast<std::uint64_t>(bound);
    std::uint64_t carried = 0;  // into the sign, by magnitudes from the bound up
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) carried |= (std::bit_cast<std::uint64_t>(cells[i]) & ~kSign) + rest;
    return (carried & kSign) != 0;
}

MOTTLE_TARGET("avx2") CellKinds look_at_floats_avx2(const float* cells, std::size_t count) { return look_at_floats(cells, count); }
MOTTLE_TARGET("avx2") bool look_at_doubles_avx2(const double* cells, std::size_t count, double bound) {
    return look_at_doubles(cells, count, bound);
}

}  // namespace

CellKinds kinds_of(std::span<const float> cells) {
    return core::code_for(core::widest_level(), look_at_floats, look_at_floats_avx2)(cells.data(), cells.size());
}

bool any_beyond(std::span<const double> cells, double bound) {
    return core::code_for(core::widest_level(), look_at_doubles, look_at_doubles_avx2)(cells.data(), cells.size(), bound);
}

}  // namespace mottle::field
