// mottle/ir/functions/approximation.h: building blocks of the elementary functions: number formats, polynomials, rounding by a large constant, bit fields
#pragma once
#include "mottle/ir/program/builder.h"
#include "mottle/ir/stability/interval.h"

#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>

namespace mottle::ir {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The number format of the code under construction.
struct Format {
    int mantissa = 0;           ///< bits after the leading one
    int bias = 0;               ///< of the exponent
    double magic = 0;           ///< 1.5 * 2^mantissa: x + magic rounds x to an integer, whose value stands in the low bits
    std::uint64_t sign = 0;     ///< the sign bit
    std::uint64_t one = 0;      ///< the bits of 1
    std::uint64_t integer = 0;  ///< the bits of 2^mantissa: or-ing a small integer into them gives 2^mantissa + integer
};
Format format_of(const Builder& b);

/// A constant or polynomial, lowest power first, for each format.
struct Coefficients {
    std::span<const double> f32, f64;
};

inline double choose(const Builder& b, double f32, double f64) { return b.f64() ? f64 : f32; }

/// c0 + x*(c1 + x*(c2 + ...)).
Value horner(Builder& b, Value x, const Coefficients& coefficients);

/// The nearest integer (ties to even), and the sum that holds it in its low bits, increased by `offset`.
struct Rounded {
    Value sum, integer;
};
/// x + (magic + offset), of x = a*b where `factor` is not 1.
Rounded round_scaled(Builder& b, Value x, double factor, double offset = 0);
Rounded round_sum(Builder& b, Value x, double offset);

/// 2^k from the sum of a rounding with offset = bias: 0 for k = -bias, infinity for k = bias + 1.
Value power_of_two(Builder& b, Value sum);

/// The sign bit of x, as a word.
Value sign_bit(Builder& b, Value x);

/// A positive, finite x = mantissa * 2^exponent, sqrt(1/2) <= mantissa < sqrt(2).
struct Decomposed {
    Value mantissa, exponent;
};
Decomposed decompose(Builder& b, Value x);

/// True where all values are literals.
bool all_literal(const Builder& b, std::initializer_list<Value> values);
/// The literal `value` of f32 code, as f32 holds it, as a literal of the f64 code `host`.
Value as_host(Builder& host, const Builder& b, Value value);
/// The value of f64 code that folded to one number.
double folded(const Builder& host, Value value);

/// A function of literals alone is a literal. f32 code evaluates the f64 form now, since bit fields of f32 would not survive folding in f64;
/// f64 code folds by itself, operation by operation.
template <class... Values>
std::optional<Value> fold_call(Builder& b, Value (*function)(Builder&, std::type_identity_t<Values>...), Values... values) {
    if (b.f64() || !all_literal(b, {values...})) return std::nullopt;
    Builder host(true);
    Value result = function(host, as_host(host, b, values)...);
    return b.literal(folded(host, result));
}

}  // namespace mottle::ir
