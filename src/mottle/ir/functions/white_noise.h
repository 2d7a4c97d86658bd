// mottle/ir/functions/white_noise.h: white() as IR: normal numbers of a cell and a step, the same bits on every backend
#pragma once
#include "mottle/ir/program/builder.h"
#include "mottle/ir/program/stage_inputs.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace mottle::ir {

/// A key has 64 bits, in parts of 16, which are exact in every precision; lowest first.
inline constexpr std::size_t kKeyParts = 4;
using KeyParts = std::array<double, kKeyParts>;

/// The input of a Program that holds a part of the key: given as that of the seed of the run, and in uniforms that of the step.
std::string key_input(std::size_t part);
bool is_key_input(const std::string& name);
/// t, a part of the key or a number of a stage: what differs between steps of a kernel.
inline bool is_input_of_step(const std::string& name) { return name == "t" || is_key_input(name) || is_stage_input(name); }
/// Whether there is a white() in the equations of `program`.
bool has_noise(const Program& program);
/// The parts of a seed.
KeyParts key_parts(std::uint64_t seed);
/// The key of a step: words 0 and 1 of Philox4x32-10 of the counter {step low, step high, 1, 0} under the seed. Throws: InternalError (no such parts).
KeyParts key_of_step(const KeyParts& seed, std::uint64_t step);

/// Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC11); words below 2^32.
std::array<Value, 4> philox(Builder& b, std::array<Value, 4> counter, std::array<Value, 2> key);

/// Cells are told apart by whole numbers below this.
constexpr std::int64_t most_noisy_cells(bool f64) { return std::int64_t{1} << (f64 ? 32 : 23); }

/// Normal number `number` of a cell, mean 0 and variance 1: cell and key are reals that hold whole numbers, those of the cell below most_noisy_cells().
/// The words w of philox({cell, number/4}, key): with U = ((w >> 9) + 1/2) 2^-23 of words 2p and 2p + 1, p = number/2 mod 2,
/// sqrt(-2 log U) cos(2 pi V) if `number` is even, else sqrt(-2 log U) sin(2 pi V).
/// Source: Box & Muller 1958.
Value normal_number(Builder& b, const std::array<Value, 3>& cell, const std::array<Value, kKeyParts>& key, std::uint32_t number);

}  // namespace mottle::ir
