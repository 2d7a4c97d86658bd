// mottle/ir/philox.cpp: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC11) and the uniform numbers made from it
#include "mottle/ir/philox.h"

#include "mottle/core/error.h"

#include <string>

namespace mottle::ir {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t kMultiplier[2] = {0xD2511F53, 0xCD9E8D57};
    constexpr std::uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = kMultiplier[0] * counter[0];
        const std::uint64_t p1 = kMultiplier[1] * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        key = {key[0] + kWeyl[0], key[1] + kWeyl[1]};
    }
    return counter;
}

double uniform_draw(std::uint64_t seed, std::uint64_t cell, std::uint64_t step, std::uint32_t draw) {
    // Counter word 1 holds the cell's bits 32..47 and the block number; both have 16 bits.
    if (cell >> 48 != 0) throw core::InternalError("cell " + std::to_string(cell) + " has no random numbers; the largest is 2^48 - 1");
    if (draw >> 18 != 0) throw core::InternalError("random draw " + std::to_string(draw) + " of a cell; the largest is 2^18 - 1");
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto words = philox({low(cell), low(cell >> 32) | (draw / 4) << 16, low(step), low(step >> 32)}, {low(seed), low(seed >> 32)});
    return (static_cast<double>(words[draw % 4] >> 9) + 0.5) * 0x1p-23;
}

}  // namespace mottle::ir
