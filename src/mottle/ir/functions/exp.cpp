// mottle/ir/functions/exp.cpp: exp, tanh and log
#include "mottle/ir/functions/approximation.h"
#include "mottle/ir/functions/functions.h"

namespace mottle::ir {
namespace {

// Minimax polynomials of functions.sollya; the relative error stands behind each.

// exp(x), 0 <= x <= ln(2)
constexpr double kExp32[] = {0x1p0, 0x1.fffffap-1, 0x1.0000bap-1, 0x1.553888p-3, 0x1.575562p-5, 0x1.ff017p-8, 0x1.fe3fa6p-10};  // 2^-28.8
constexpr double kExp64[] = {0x1p0,
                             0x1.0000000000004p0,
                             0x1.ffffffffffa8ap-2,
                             0x1.5555555569e83p-3,
                             0x1.55555550880a1p-5,
                             0x1.111111b6e23b7p-7,
                             0x1.6c16a56e935cep-10,
                             0x1.a01d16111e1eap-13,
                             0x1.9fe0a4aa7f1e2p-16,
                             0x1.7498f0c7c3966p-19,
                             0x1.131ee1896b6cdp-22,
                             0x1.2f30afd2e2574p-25};  // 2^-58.1
constexpr Coefficients kExp{kExp32, kExp64};

// exp(2x), |x| <= ln(2)/4
constexpr double kSquare32[] = {0x1p0, 0x1.fffff6p0, 0x1.fffdbep0, 0x1.555a78p0, 0x1.573d52p-1, 0x1.0fa732p-2};  // 2^-23.4
constexpr double kSquare64[] = {0x1p0,
                                0x1p1,
                                0x1.000000000000cp1,
                                0x1.5555555555517p0,
                                0x1.555555554fddbp-1,
                                0x1.111111112092bp-2,
                                0x1.6c16c1861a4c6p-4,
                                0x1.a01a0150d5f83p-6,
                                0x1.a019956ddfc7cp-8,
                                0x1.71decf8ac326ap-10,
                                0x1.28b1525a5cf46p-12,
                                0x1.ae07726b5d846p-15};  // 2^-57.6
constexpr Coefficients kSquare{kSquare32, kSquare64};

// tanh(x) = x + x^3 * polynomial(x^2), |x| <= 0.65
constexpr double kTanh32[] = {-0x1.555524p-2, 0x1.1103fp-3, -0x1.b7cfbap-5, 0x1.4f5dap-6, -0x1.696b9cp-8};  // 2^-27.1
constexpr double kTanh64[] = {-0x1.555555555554dp-2,  0x1.1111111110652p-3,  -0x1.ba1ba1b9821cbp-5,  0x1.664f48607175p-6,
                              -0x1.226e30df37e5fp-7,  0x1.d6d3104aea7a5p-9,  -0x1.7d989a59a0f8ep-10, 0x1.34edcfba279c5p-11,
                              -0x1.efd04308911cbp-13, 0x1.7bc5bd18fedc7p-14, -0x1.e9b4bafc98afap-16, 0x1.78b19bd60bb56p-18};  // 2^-59.8
constexpr Coefficients kTanh{kTanh32, kTanh64};

// log(1 + x) = x + x^2 * polynomial, sqrt(1/2) <= 1 + x <= sqrt(2)
constexpr double kLog32[] = {-0x1.fffffap-2, 0x1.5556f2p-2, -0x1.0004bp-2,  0x1.98d336p-3,
                             -0x1.535a3cp-3, 0x1.317e24p-3, -0x1.251406p-3, 0x1.660ec8p-4};  // 2^-25.0
constexpr double kLog64[] = {-0x1.0000000000003p-1, 0x1.555555555551cp-2, -0x1.fffffffffdedep-3, 0x1.99999999a17dfp-3,
                             -0x1.55555556e284bp-3, 0x1.2492492246c19p-3, -0x1.fffffef6a2a34p-4, 0x1.c71c71d8072ep-4,
                             -0x1.9999c9096ad9p-4,  0x1.745d45236c0cfp-4, -0x1.5550746964dc3p-4, 0x1.3b0ac915e205cp-4,
                             -0x1.24dc4aaaff1f4p-4, 0x1.11d8237326f7dp-4, -0x1.fb6e5e62d004cp-5, 0x1.cfb735b594bbdp-5,
                             -0x1.d15a59068f02dp-5, 0x1.0b54552eba69ap-4, -0x1.eb436c0c90246p-5, 0x1.abe116a9d2c7cp-6};  // 2^-56.7
constexpr Coefficients kLog{kLog32, kLog64};

constexpr double kLog2E32 = 0x1.715476p0, kLog2E64 = 0x1.71547652b82fep0;
constexpr double kLn2High32 = 0x1.62e43p-1, kLn2High64 = 0x1.62e42fefa39efp-1;
constexpr double kLn2Low32 = -0x1.05c61p-29, kLn2Low64 = 0x1.abc9e3b39803fp-56;

}  // namespace

// exp(x) = 2^k * exp(r), 0 <= r < ln 2. k runs from -bias, whose power of two is 0, to bias; beyond that exp(r) reaches 2 and the product
// overflows.
Value exp(Builder& b, Value x) {
    if (auto known = fold_call(b, exp, x)) return *known;
    const Format format = format_of(b);
    x = max(b, b.literal(choose(b, -88, -709)), x);
    // A little less than 1/2: rounding must not take k = 1 - bias for -bias, and exp(0) = 1.
    Value scaled = b.fma(x, b.literal(choose(b, kLog2E32, kLog2E64)), b.literal(-0x1.ffp-2));
    Rounded k = round_sum(b, min(b, b.literal(format.bias), scaled), format.bias);
    Value r = b.fma(k.integer, b.literal(-choose(b, kLn2High32, kLn2High64)), x);
    r = b.fma(k.integer, b.literal(-choose(b, kLn2Low32, kLn2Low64)), r);
    return b.mul(horner(b, r, kExp), power_of_two(b, k.sum));
}

// tanh|x| = 1 - 2/(exp(2|x|) + 1), near 0 a polynomial; then the sign of x: exactly odd.
Value tanh(Builder& b, Value x) {
    if (auto known = fold_call(b, tanh, x)) return *known;
    Value a = min(b, b.literal(choose(b, 10, 20)), b.abs(x));  // tanh is 1 from there on
    Rounded k = round_scaled(b, a, 2 * choose(b, kLog2E32, kLog2E64), format_of(b).bias);
    Value r = b.fma(k.integer, b.literal(-choose(b, kLn2High32, kLn2High64) / 2), a);
    Value denominator = b.fma(horner(b, r, kSquare), power_of_two(b, k.sum), b.literal(1));
    Value far = b.sub(b.literal(1), b.div(b.literal(2), denominator));
    Value square = b.mul(a, a);
    Value near = b.fma(b.mul(a, square), horner(b, square, kTanh), a);
    Value y = b.select(b.less(a, b.literal(0.648)), near, far);
    return b.to_real(b.word_op(Op::word_or, b.to_word(y), sign_bit(b, x)));
}

Value log_of_number(Builder& b, Value x) {
    Decomposed parts = decompose(b, x);
    Value f = b.sub(parts.mantissa, b.literal(1));
    Value near_one = b.fma(b.mul(f, f), horner(b, f, kLog), f);
    return b.fma(parts.exponent, b.literal(choose(b, kLn2High32, kLn2High64)), near_one);
}

Value log(Builder& b, Value x) {
    if (auto known = fold_call(b, log, x)) return *known;
    Value result = log_of_number(b, x);
    Value infinity = b.literal(kInfinity);
    result = b.select(b.less(x, infinity), result, x);
    Value special = b.select(b.equal(x, b.literal(0)), b.literal(-kInfinity), b.literal(kNaN));
    return b.select(b.less_equal(x, b.literal(0)), special, result);
}

}  // namespace mottle::ir
