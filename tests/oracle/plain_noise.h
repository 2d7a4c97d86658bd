// tests/oracle/plain_noise.h: white noise from the definitions: Philox as in the paper of its authors, Box-Muller with the C library; includes nothing of Mottle
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace plain {

/// Philox4x32-10: R rounds of S-box and permutation, the key bumped by Weyl constants (Salmon et al. 2011, section 3.3).
inline std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> x, std::uint32_t k0, std::uint32_t k1) {
    const auto product = [](std::uint32_t a, std::uint32_t b) {
        const std::uint64_t whole = static_cast<std::uint64_t>(a) * b;
        return std::pair(static_cast<std::uint32_t>(whole / 4294967296u), static_cast<std::uint32_t>(whole % 4294967296u));
    };
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const auto [high0, low0] = product(0xD2511F53u, x[0]);
        const auto [high1, low1] = product(0xCD9E8D57u, x[2]);
        x = {high1 ^ x[1] ^ k0, low1, high0 ^ x[3] ^ k1, low0};
    }
    return x;
}

/// Normal number `number` of the cell (x, y, z) at a step.
inline double normal(std::uint64_t seed, std::uint64_t step, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t number) {
    const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits % 4294967296u); };
    const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits / 4294967296u); };
    const auto key = philox_block({low(step), high(step), 1, 0}, low(seed), high(seed));
    const auto words = philox_block({x, y, z, number / 4}, key[0], key[1]);
    const std::size_t pair = number % 4 / 2;
    const auto uniform = [&](std::size_t word) { return (words[word] / 512 + 0.5) / 8388608; };
    const double radius = std::sqrt(-2 * std::log(uniform(2 * pair))), angle = 2 * std::acos(-1.0) * uniform(2 * pair + 1);
    return number % 2 == 0 ? radius * std::cos(angle) : radius * std::sin(angle);
}

}  // namespace plain
