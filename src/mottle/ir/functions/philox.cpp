// mottle/ir/functions/philox.cpp: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC11) and the uniform numbers made from it
#include "mottle/ir/functions/philox.h"

#include "mottle/core/error.h"
#include "mottle/core/vector_level.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace mottle::ir {

namespace {

constexpr std::size_t kBlocks = 64;  // computed side by side; with fewer, compilers keep less of them in vectors

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// Counters of one call; word 0 and the upper half of word 1 come from the cell.
struct Draw {
    std::uint64_t seed, step;
    std::uint32_t number;

    /// Counter word 1 holds the cell's bits 32..47 and the block number; both have 16 bits.
    std::array<std::uint32_t, 4> counter(std::uint64_t cell) const {
        return {low_word(cell), high_word(cell) | (number / 4) << 16, low_word(step), high_word(step)};
    }
    std::array<std::uint32_t, 2> key() const { return {low_word(seed), high_word(seed)}; }
};

void require_in_range(std::uint64_t last_cell, std::uint32_t draw) {
    if (last_cell >> 48 != 0)
        throw core::InternalError("cell " + std::to_string(last_cell) + " has no random numbers; the largest is 2^48 - 1");
    if (draw >> 18 != 0) throw core::InternalError("random draw " + std::to_string(draw) + " of a cell; the largest is 2^18 - 1");
}

double number_of(std::uint32_t word) { return (static_cast<double>(word >> 9) + 0.5) * 0x1p-23; }

/// Written once and compiled for several instruction sets; whole numbers, so all give the same bits.
[[gnu::always_inline]] inline void draw_block(const Draw& draw, std::uint64_t first, double* numbers) {
    std::uint32_t c[4][kBlocks];
    for (std::size_t i = 0; i < kBlocks; ++i) {
        const auto counter = draw.counter(first + i);
        for (std::size_t word = 0; word < 4; ++word) c[word][i] = counter[word];
    }
    std::array<std::uint32_t, 2> key = draw.key();
    for (int round = 0; round < kPhiloxRounds; ++round) {
        for (std::size_t i = 0; i < kBlocks; ++i) {
            const std::uint64_t p0 = kPhiloxMultiplier[0] * c[0][i], p1 = kPhiloxMultiplier[1] * c[2][i];
            c[0][i] = high_word(p1) ^ c[1][i] ^ key[0];
            c[1][i] = low_word(p1);
            c[2][i] = high_word(p0) ^ c[3][i] ^ key[1];
            c[3][i] = low_word(p0);
        }
        key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
    }
    const std::uint32_t* words = c[draw.number % 4];
    for (std::size_t i = 0; i < kBlocks; ++i) numbers[i] = (static_cast<double>(static_cast<std::int32_t>(words[i] >> 9)) + 0.5) * 0x1p-23;
}

void draw_portable(const Draw& draw, std::uint64_t first, double* numbers) { draw_block(draw, first, numbers); }
MOTTLE_TARGET("avx2") void draw_avx2(const Draw& draw, std::uint64_t first, double* numbers) { draw_block(draw, first, numbers); }
MOTTLE_TARGET("avx512f,avx512dq,avx512bw,avx512vl") void draw_avx512(const Draw& draw, std::uint64_t first, double* numbers) {
    draw_block(draw, first, numbers);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const std::uint64_t p0 = kPhiloxMultiplier[0] * counter[0];
        const std::uint64_t p1 = kPhiloxMultiplier[1] * counter[2];
        counter = {high_word(p1) ^ counter[1] ^ key[0], low_word(p1), high_word(p0) ^ counter[3] ^ key[1], low_word(p0)};
        key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
    }
    return counter;
}

double uniform_draw(std::uint64_t seed, std::uint64_t cell, std::uint64_t step, std::uint32_t draw) {
    require_in_range(cell, draw);
    const Draw call{seed, step, draw};
    return number_of(philox(call.counter(cell), call.key())[draw % 4]);
}

void uniform_draws(std::uint64_t seed, std::uint64_t first, std::uint64_t step, std::uint32_t draw, std::span<double> numbers) {
    if (numbers.empty()) return;
    require_in_range(first + numbers.size() - 1, draw);
    const Draw call{seed, step, draw};
    const auto block = core::code_for(core::widest_level(), draw_portable, draw_avx2, draw_avx512);
    std::size_t i = 0;
    for (; i + kBlocks <= numbers.size(); i += kBlocks) block(call, first + i, numbers.data() + i);
    if (i == numbers.size()) return;
    std::array<double, kBlocks> rest;
    block(call, first + i, rest.data());
    std::copy_n(rest.begin(), numbers.size() - i, numbers.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace mottle::ir
