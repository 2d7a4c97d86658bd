// mottle/ir/functions/white_noise.cpp: Philox and the method of Box and Muller in operations of the IR
#include "mottle/ir/functions/white_noise.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/approximation.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/functions/philox.h"

#include <algorithm>

namespace mottle::ir {
namespace {

constexpr std::string_view kKeyInput = "white.";
constexpr std::uint64_t kLow32 = 0xffffffffu, kLow16 = 0xffffu;

Value masked(Builder& b, Value word, std::uint64_t bits) { return b.word_op(Op::word_and, word, b.word(bits)); }
Value shifted_right(Builder& b, Value word, std::uint64_t by) { return b.word_op(Op::word_shr, word, b.word(by)); }

/// The word of a whole number that the mantissa of a real has room for.
Value word_of_whole(Builder& b, Value real) {
    const double one_ulp = b.f64() ? 0x1p52 : 0x1p23;  // from here on the last bit counts 1
    return masked(b, b.to_word(b.add(real, b.literal(one_ulp))), b.f64() ? kLow32 : 0x7fffffu);
}

struct Halves {
    Value low, high;
};

/// Halves of a product of 32 bits by 32; words of f64 code are twice as wide.
Halves multiply_words(Builder& b, Value word, std::uint64_t by) {
    const Value product = b.word_op(Op::word_mul, word, b.word(by));
    if (!b.f64()) return {product, b.word_op(Op::word_mul_high, word, b.word(by))};
    return {masked(b, product, kLow32), shifted_right(b, product, 32)};
}

Value add_words(Builder& b, Value word, std::uint64_t by) {
    const Value sum = b.word_op(Op::word_add, word, b.word(by));
    return b.f64() ? masked(b, sum, kLow32) : sum;
}

/// m + 1/2 of the upper 23 bits m of a word.
Value half_above(Builder& b, Value word) {
    const Value real = b.to_real(b.word_op(Op::word_or, shifted_right(b, word, 9), b.word(format_of(b).integer)));
    return b.sub(real, b.literal((b.f64() ? 0x1p52 : 0x1p23) - 0.5));
}

// sin(pi x) = x * polynomial(x^2), |x| <= 1/2: functions.sollya
constexpr double kHalfTurn32[] = {0x1.921fb6p1, -0x1.4abbd8p2, 0x1.466b26p1, -0x1.328004p-1, 0x1.407998p-4};  // 2^-25.1
constexpr double kHalfTurn64[] = {0x1.921fb54442d18p1,   -0x1.4abbce625be39p2,   0x1.466bc67759fccp1,
                                  -0x1.32d2cce5e66ebp-1, 0x1.5078346ab756fp-4,   -0x1.e30741a6ba9a8p-8,
                                  0x1.e8f023f73b57bp-12, -0x1.6f0536efc7099p-16, 0x1.8f9e5a085a106p-21};  // 2^-54.5
constexpr Coefficients kHalfTurn{kHalfTurn32, kHalfTurn64};

Value sine_of_half_turns(Builder& b, Value x) { return b.mul(x, horner(b, b.mul(x, x), kHalfTurn)); }

/// Half turns that have the sine of (m + 1/2) 2^-23 turns and the cosine: |t| <= 1/2 turn off, cos(2 pi V) = sin(pi (2|t| - 1/2)).
Value half_turns(Builder& b, Value m, bool sine) {
    const Value t = b.fma(m, b.literal(0x1p-23), b.literal(-0.5));  // exact
    const Value q = b.fma(b.literal(2), b.abs(t), b.literal(-0.5));
    if (!sine) return q;
    const Value size = b.sub(b.literal(0.5), b.abs(q));
    return b.to_real(b.word_op(Op::word_xor, b.to_word(b.neg(size)), sign_bit(b, t)));
}

}  // namespace

std::string key_input(std::size_t part) { return std::string(kKeyInput) + std::to_string(part); }

bool is_key_input(const std::string& name) { return name.starts_with(kKeyInput); }

bool has_noise(const Program& program) { return std::any_of(program.inputs.begin(), program.inputs.end(), is_key_input); }

KeyParts key_parts(std::uint64_t seed) {
    KeyParts parts;
    for (double& part : parts) {
        part = static_cast<double>(seed & kLow16);
        seed >>= 16;
    }
    return parts;
}

KeyParts key_of_step(const KeyParts& seed, std::uint64_t step) {
    std::uint64_t bits = 0;
    for (std::size_t i = kKeyParts; i-- > 0;) {
        if (!(seed[i] >= 0 && seed[i] <= static_cast<double>(kLow16))) throw core::InternalError("a part of a seed has more than 16 bits");
        bits = bits << 16 | static_cast<std::uint64_t>(seed[i]);
    }
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto words = philox({low(step), low(step >> 32), 1, 0}, {low(bits), low(bits >> 32)});
    return key_parts(words[0] | std::uint64_t{words[1]} << 32);
}

std::array<Value, 4> philox(Builder& b, std::array<Value, 4> counter, std::array<Value, 2> key) {
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const Halves p0 = multiply_words(b, counter[0], kPhiloxMultiplier[0]), p1 = multiply_words(b, counter[2], kPhiloxMultiplier[1]);
        const auto mix = [&b](Value product, Value word, Value with) {
            return b.word_op(Op::word_xor, product, b.word_op(Op::word_xor, word, with));
        };
        counter = {mix(p1.high, counter[1], key[0]), p1.low, mix(p0.high, counter[3], key[1]), p0.low};
        if (round + 1 < kPhiloxRounds) key = {add_words(b, key[0], kPhiloxWeyl[0]), add_words(b, key[1], kPhiloxWeyl[1])};
    }
    return counter;
}

Value normal_number(Builder& b, const std::array<Value, 3>& cell, const std::array<Value, kKeyParts>& key, std::uint32_t number) {
    const auto key_word = [&](std::size_t first) {
        const Value high = b.word_op(Op::word_shl, word_of_whole(b, key[first + 1]), b.word(16));
        return b.word_op(Op::word_or, word_of_whole(b, key[first]), high);
    };
    const std::array<Value, 4> counter = {word_of_whole(b, cell[0]), word_of_whole(b, cell[1]), word_of_whole(b, cell[2]),
                                          b.word(number / 4)};
    const std::array<Value, 4> words = philox(b, counter, {key_word(0), key_word(2)});
    const std::size_t pair = number / 2 % 2;
    const Value u = b.mul(half_above(b, words[2 * pair]), b.literal(0x1p-23));
    const Value radius = b.sqrt(b.mul(b.literal(-2), log_of_number(b, u)));
    return b.mul(radius, sine_of_half_turns(b, half_turns(b, half_above(b, words[2 * pair + 1]), number % 2 == 1)));
}

}  // namespace mottle::ir
