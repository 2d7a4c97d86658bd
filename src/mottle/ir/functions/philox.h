// mottle/ir/functions/philox.h: Philox4x32-10 counter-based random numbers (Salmon et al. 2011): no state, the same on every machine
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace mottle::ir {

inline constexpr std::uint64_t kPhiloxMultiplier[2] = {0xD2511F53, 0xCD9E8D57};
inline constexpr std::uint32_t kPhiloxWeyl[2] = {0x9E3779B9, 0xBB67AE85};
inline constexpr int kPhiloxRounds = 10;

/// One Philox4x32-10 block.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Uniform number of draw `draw` for `cell` at `step`: ((w>>9)+0.5)*2^-23, never 0 or 1.
/// key = seed; counter = {cell low, cell high 16 bits | draw/4 << 16, step low, step high}; w = word draw mod 4.
double uniform_draw(std::uint64_t seed, std::uint64_t cell, std::uint64_t step, std::uint32_t draw);

/// The same for cells first, first + 1, ...: several at a time.
void uniform_draws(std::uint64_t seed, std::uint64_t first, std::uint64_t step, std::uint32_t draw, std::span<double> numbers);

inline constexpr std::uint64_t kInitialStep = ~std::uint64_t{0};  ///< the step of initial expressions (2^64 - 1)

}  // namespace mottle::ir
