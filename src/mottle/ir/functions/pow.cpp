// mottle/ir/functions/pow.cpp: pow = 2^(y log2 x), the logarithm and the product carried as a sum of two numbers
#include "mottle/ir/functions/approximation.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/functions.h"

#include <cmath>

namespace mottle::ir {
namespace {

// Minimax polynomials of functions.sollya; the relative error of the whole function stands behind each.

// log2((1 + s)/(1 - s)) = s*(c + s^2*(c/3 + s^2*polynomial(s^2))), c = 2/ln(2), |s| <= 0.1716
constexpr double kLog2Ratio32[] = {0x1.27770ep-1, 0x1.a5bbf4p-2, 0x1.59ef12p-2};  // 2^-36.7
constexpr double kLog2Ratio64[] = {0x1.2776c50ef9bfcp-1, 0x1.a61762a7aedd9p-2, 0x1.484b13d6ad403p-2, 0x1.0c9a853ad1a85p-2,
                                   0x1.c68ee96cabaaep-3, 0x1.8a09b6ce44233p-3, 0x1.58fccd72f6a7p-3,  0x1.61f170636143bp-3};  // 2^-73.4
constexpr Coefficients kLog2Ratio{kLog2Ratio32, kLog2Ratio64};
constexpr double kRatio32[] = {0x1.715476p1, 0x1.4ae0cp-25}, kRatio64[] = {0x1.71547652b82fep1, 0x1.777d0ffda0d24p-55};      // c
constexpr double kThird32[] = {0x1.ec709ep-1, -0x1.e2fe02p-28}, kThird64[] = {0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55};  // c/3

// 2^x, 0 <= x <= 1
constexpr double kExp2_32[] = {0x1p0,         0x1.62e42ap-1, 0x1.ebfda8p-3, 0x1.c68322p-5,
                               0x1.3d3c36p-7, 0x1.456ddp-10, 0x1.c92078p-13};  // 2^-28.4
constexpr double kExp2_64[] = {0x1p0,
                               0x1.62e42fefa39f7p-1,
                               0x1.ebfbdff82bea2p-3,
                               0x1.c6b08d706c7d7p-5,
                               0x1.3b2ab6f64aab6p-7,
                               0x1.5d87ff7040905p-10,
                               0x1.4308f6d8de43p-13,
                               0x1.ffd02a44f84d9p-17,
                               0x1.628b69f6db37ap-20,
                               0x1.b88d1f44c9bd5p-24,
                               0x1.c18bdc174555fp-28,
                               0x1.5a21dd9454b01p-31};  // 2^-57.5
constexpr Coefficients kExp2{kExp2_32, kExp2_64};

/// A number as a sum: low is what high cannot hold.
struct Pair {
    Value high, low;
};

// The product of two numbers, exactly.
Pair exact_product(Builder& b, Value x, Value y) {
    Value high = b.mul(x, y);
    return {high, b.fma(x, y, b.neg(high))};
}

// What rounding large + small = sum has lost.
Value lost_in_sum(Builder& b, Value large, Value small, Value sum) { return b.add(b.sub(large, sum), small); }

// s = (m - 1)/(m + 1) as a pair; m - 1 is exact.
Pair ratio(Builder& b, Value m) {
    Value one = b.literal(1);
    Value numerator = b.sub(m, one), denominator = b.add(m, one);
    Value lost = b.sub(m, b.sub(denominator, one));
    Value inverse = b.div(one, denominator);
    Value high = b.mul(numerator, inverse);
    Value residue = b.fma(b.neg(high), lost, b.fma(b.neg(high), denominator, numerator));
    return {high, b.mul(residue, inverse)};
}

// log2(m) / s, the series in s^2.
Pair series(Builder& b, const Pair& s) {
    auto constant = [&b](const double(&f32)[2], const double(&f64)[2], std::size_t part) {
        return b.literal(choose(b, f32[part], f64[part]));
    };
    Pair square = exact_product(b, s.high, s.high);
    square.low = b.fma(s.high, b.add(s.low, s.low), square.low);
    Value first = constant(kRatio32, kRatio64, 0), third = constant(kThird32, kThird64, 0);
    Pair term = exact_product(b, third, square.high);
    Value rest = b.fma(b.mul(square.high, square.high), horner(b, square.high, kLog2Ratio), constant(kRatio32, kRatio64, 1));
    rest = b.fma(constant(kThird32, kThird64, 1), square.high, rest);
    rest = b.add(b.fma(third, square.low, rest), term.low);
    Value sum = b.add(first, term.high);
    return {sum, b.add(lost_in_sum(b, first, term.high, sum), rest)};
}

Pair log2_of_mantissa(Builder& b, Value m) {
    Pair s = ratio(b, m), factor = series(b, s);
    Pair product = exact_product(b, s.high, factor.high);
    product.low = b.fma(s.low, factor.high, b.fma(s.high, factor.low, product.low));
    return product;
}

// log2 of a positive, finite x, about 2^-10 of an ulp.
Pair log2(Builder& b, Value x) {
    if (!b.f64() && all_literal(b, {x})) {
        Builder host(true);
        Pair known = log2(host, as_host(host, b, x));
        const double sum = folded(host, known.high) + folded(host, known.low);
        const double high = static_cast<double>(round_to<float>(sum));
        return {b.literal(high), b.literal(sum - high)};
    }
    Decomposed parts = decompose(b, x);
    Pair fraction = log2_of_mantissa(b, parts.mantissa);
    Value sum = b.add(parts.exponent, fraction.high);
    return {sum, b.add(lost_in_sum(b, parts.exponent, fraction.high, sum), fraction.low)};
}

// 2^(x.high + x.low). k runs from -bias, whose power of two is 0, to bias; beyond that the remainder reaches 1 and the product overflows.
Value exp2(Builder& b, const Pair& x) {
    Value sum = clamp(b, b.add(x.high, x.low), b.literal(choose(b, -126.75, -1022.75)), b.literal(choose(b, 127.5, 1023.5)));
    // A little less than 1/2, so that integers are never ties.
    Rounded k = round_sum(b, b.sub(sum, b.literal(0x1.ffp-2)), format_of(b).bias);
    // Where k was clamped the remainder is anything; the polynomial has to stay positive there.
    Value r = clamp(b, b.add(b.sub(x.high, k.integer), x.low), b.literal(-0.5), b.literal(1.5));
    return b.mul(horner(b, r, kExp2), power_of_two(b, k.sum));
}

// f32 code decides about an exponent written in the text with the number it will use.
Value as_used(Builder& b, Value value) {
    if (b.f64() || !all_literal(b, {value})) return value;
    return b.literal(static_cast<double>(round_to<float>(b.code()[core::at(value)].literal())));
}

// |x|^y for x != 1, y != 0; 0, infinity and NaN are answered from x and 1/x.
Value power_of_magnitude(Builder& b, Value magnitude, Value y) {
    Value zero = b.literal(0);
    // Beyond this bound every x but 1 gives 0 or infinity.
    const double bound = choose(b, 0x1p40, 0x1p70);
    Value exponent = clamp(b, y, b.literal(-bound), b.literal(bound));
    Pair logarithm = log2(b, magnitude);
    Pair product = exact_product(b, exponent, logarithm.high);
    product.low = b.fma(exponent, logarithm.low, product.low);
    Value regular = exp2(b, product);
    Value special = b.select(b.less(y, zero), b.div(b.literal(1), magnitude), b.select(b.less(zero, y), magnitude, y));
    return b.select(b.less(zero, magnitude), b.select(b.less(magnitude, b.literal(kInfinity)), regular, special), special);
}

}  // namespace

Value pow(Builder& b, Value x, Value y) {
    if (auto known = fold_call(b, pow, x, y)) return *known;
    x = as_used(b, x);
    y = as_used(b, y);
    Value zero = b.literal(0), one = b.literal(1);
    if (x == one || y == zero) return one;
    Value power = power_of_magnitude(b, b.abs(x), y);
    Value half = b.mul(y, b.literal(0.5));
    Value odd = b.less(b.floor(half), half);  // of an integral y
    Value negated = b.to_real(b.word_op(Op::word_xor, b.to_word(power), sign_bit(b, x)));
    Value integral = b.select(odd, negated, power);
    Value fractional = b.select(b.less(x, zero), b.literal(kNaN), power);
    power = b.select(b.equal(b.floor(y), y), integral, fractional);
    return b.select(b.equal(y, zero), one, b.select(b.equal(x, one), one, power));
}

}  // namespace mottle::ir
