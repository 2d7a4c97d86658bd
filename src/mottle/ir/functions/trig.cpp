// mottle/ir/functions/trig.cpp: sin, cos, tan and atan2
#include "mottle/ir/functions/approximation.h"
#include "mottle/ir/functions/functions.h"

#include <numbers>

namespace mottle::ir {
namespace {

// Minimax polynomials of functions.sollya; the relative error stands behind each.

// sin(x) = x + x^3 * polynomial(x^2), |x| <= pi/4
constexpr double kSin32[] = {-0x1.555546p-3, 0x1.110778p-7, -0x1.9953fep-13};  // 2^-27.9
constexpr double kSin64[] = {-0x1.5555555555548p-3, 0x1.111111110f75dp-7,   -0x1.a01a019bf2234p-13,
                             0x1.71de355f060e4p-19, -0x1.ae5e5472cd0adp-26, 0x1.5d8e356458674p-33};  // 2^-57.9
constexpr Coefficients kSin{kSin32, kSin64};

// cos(x) = polynomial(x^2), |x| <= pi/4
constexpr double kCos32[] = {1, -0.5, 0x1.55554ap-5, -0x1.6c0c2ap-10, 0x1.99e91p-16};  // 2^-33.0
constexpr double kCos64[] = {1,
                             -0.5,
                             0x1.555555555554bp-5,
                             -0x1.6c16c16c15016p-10,
                             0x1.a01a019c8f3f1p-16,
                             -0x1.27e4f7f19d9c7p-22,
                             0x1.1ee9dbd13199ep-29,
                             -0x1.8fa6822329009p-37};  // 2^-63.9
constexpr Coefficients kCos{kCos32, kCos64};

// tan(x) = x + x^3 * polynomial(x^2), |x| <= pi/4
constexpr double kTan32[] = {0x1.55556p-2,  0x1.110dap-3,   0x1.bad946p-5, 0x1.5cc664p-6,
                             0x1.62ad1cp-7, 0x1.af6e04p-14, 0x1.1e6b6p-8};  // 2^-29.5
constexpr double kTan64[] = {0x1.555555555555dp-2,  0x1.11111111106dep-3,   0x1.ba1ba1bab232ep-5,  0x1.664f485fc46bap-6,
                             0x1.226e3a2ff6b62p-7,  0x1.d6d2f49703f0ep-9,   0x1.7db0db6447efcp-10, 0x1.34c2fef2b0672p-11,
                             0x1.fecd665e47ca2p-13, 0x1.6065b1ac15aadp-14,  0x1.16798f28dbe99p-14, -0x1.9c9e3c81b469p-16,
                             0x1.90c02892a6eb7p-15, -0x1.901d9c198422ap-16, 0x1.45a3c7fa89661p-17};  // 2^-60.0
constexpr Coefficients kTan{kTan32, kTan64};

// atan(x) = x + x^3 * polynomial(x^2), 0 <= x <= 1
constexpr double kAtan32[] = {-0x1.5554dcp-2, 0x1.9978eep-3, -0x1.230abp-3,  0x1.b4dfdcp-4,
                              -0x1.3553f4p-4, 0x1.61f756p-5, -0x1.0c23fep-6, 0x1.7ec1c4p-9};  // 2^-25.8
constexpr double kAtan64[] = {-0x1.5555555555526p-2, 0x1.99999999955b4p-3,  -0x1.249249237f57dp-3,  0x1.c71c717fcf76dp-4,
                              -0x1.745d11ae74c7ap-4, 0x1.3b13669a2a047p-4,  -0x1.110e5126fd02dp-4,  0x1.e1bba66c1a4b8p-5,
                              -0x1.ae5e72c0e6984p-5, 0x1.82dad79d1736p-5,   -0x1.59a3ff2ac6667p-5,  0x1.2c2e5ccfd4e26p-5,
                              -0x1.e9fa0da6643e9p-6, 0x1.683cc98472e13p-6,  -0x1.c78fcd542af16p-7,  0x1.d7b927bbdceedp-8,
                              -0x1.7a399ad4364a2p-9, 0x1.b3facbcd7bb8ap-11, -0x1.3f364d4b9695cp-13, 0x1.bbed9f7b04237p-17};  // 2^-57.6
constexpr Coefficients kAtan{kAtan32, kAtan64};

// pi/2 in three parts of the format's full width
constexpr double kHalfPi32[] = {0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr double kHalfPi64[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

/// |x| = (k - offset)*pi/2 + r, |r| <= pi/4 and a rounding.
struct Reduced {
    Value k, first;  // first = |x| - k*(first part of pi/2), exact: it is small where the two cancel
    Value sum;       // holds k in its low bits
    Value even;      // mask: k is even
    Value sign;      // a word whose sign bit is bit 1 of k
    Value in_range;  // mask; false for NaN
};

double half_pi(const Builder& b, std::size_t part) { return choose(b, kHalfPi32[part], kHalfPi64[part]); }

Reduced reduce(Builder& b, Value x, double offset) {
    Reduced reduced;
    Value magnitude = b.abs(x);
    reduced.in_range = b.less_equal(magnitude, b.literal(choose(b, 0x1p15, 0x1p25)));
    Rounded k = round_scaled(b, magnitude, choose(b, 0x1.45f306p-1, 0x1.45f306dc9c883p-1), offset);
    reduced.k = k.integer;
    reduced.sum = k.sum;
    reduced.first = b.fma(k.integer, b.literal(-half_pi(b, 0)), magnitude);
    // Bits 0 and 1 of k become the top bit of the exponent and the sign: a zero or 2 of either sign.
    reduced.sign = b.word_op(Op::word_shl, b.to_word(k.sum), b.word(b.f64() ? 62 : 30));
    reduced.even = b.equal(b.to_real(reduced.sign), b.literal(0));
    return reduced;
}

Value remainder(Builder& b, const Reduced& x) {
    Value second = b.fma(x.k, b.literal(-half_pi(b, 1)), x.first);
    return b.fma(x.k, b.literal(-half_pi(b, 2)), second);
}

// The remainder and what its rounding loses: tan has two roundings more than sin.
void remainder_with_tail(Builder& b, const Reduced& x, Value& r, Value& tail) {
    Value part = b.literal(half_pi(b, 1));
    Value product = b.mul(x.k, part), product_tail = b.fma(x.k, part, b.neg(product));
    r = b.sub(x.first, product);
    Value lost = b.sub(b.sub(b.sub(x.first, r), product), product_tail);
    tail = b.fma(x.k, b.literal(-half_pi(b, 2)), lost);
}

Value sin_near_zero(Builder& b, Value r, Value square) { return b.fma(b.mul(r, square), horner(b, square, kSin), r); }
Value cos_near_zero(Builder& b, Value square) { return horner(b, square, kCos); }

Value with_sign(Builder& b, Value x, Value sign) { return b.to_real(b.word_op(Op::word_xor, b.to_word(x), sign)); }

Value masked_sign(Builder& b, Value word) { return b.word_op(Op::word_and, word, b.word(format_of(b).sign)); }

}  // namespace

// sin|x|, the sign of x put back: exactly odd, and -0 stays -0.
Value sin(Builder& b, Value x) {
    if (auto known = fold_call(b, sin, x)) return *known;
    Reduced reduced = reduce(b, x, 0);
    Value r = remainder(b, reduced), square = b.mul(r, r);
    Value y = b.select(reduced.even, sin_near_zero(b, r, square), cos_near_zero(b, square));
    y = with_sign(b, y, masked_sign(b, b.word_op(Op::word_xor, reduced.sign, b.to_word(x))));
    return b.select(reduced.in_range, y, b.literal(kNaN));
}

// cos|x| = sin(|x| + pi/2)
Value cos(Builder& b, Value x) {
    if (auto known = fold_call(b, cos, x)) return *known;
    Reduced reduced = reduce(b, x, 1);
    Value r = remainder(b, reduced), square = b.mul(r, r);
    Value y = b.select(reduced.even, sin_near_zero(b, r, square), cos_near_zero(b, square));
    return b.select(reduced.in_range, with_sign(b, y, masked_sign(b, reduced.sign)), b.literal(kNaN));
}

// tan of the reduced argument, or -1/tan of it a quarter turn on.
Value tan(Builder& b, Value x) {
    if (auto known = fold_call(b, tan, x)) return *known;
    Reduced reduced = reduce(b, x, 0);
    Value r, tail;
    remainder_with_tail(b, reduced, r, tail);
    Value square = b.mul(r, r);
    tail = b.fma(tail, square, tail);  // times the derivative 1 + tan^2, roughly
    Value y = b.add(r, b.fma(b.mul(r, square), horner(b, square, kTan), tail));
    y = b.select(reduced.even, y, b.div(b.literal(-1), y));
    return b.select(reduced.in_range, with_sign(b, y, sign_bit(b, x)), b.literal(kNaN));
}

// q = min(|x|,|y|)/max(|x|,|y|) in 0..1; the angle is 0, pi/2 or pi plus or minus atan(q), the sign of y put back.
Value atan2(Builder& b, Value y, Value x) {
    if (auto known = fold_call(b, atan2, y, x)) return *known;
    Value width = b.abs(x), height = b.abs(y);
    Value steep = b.less(width, height);
    Value small = b.select(steep, width, height), large = b.select(steep, height, width);
    // The smallest operand that is not 0: 0/0 becomes 0.
    large = max(b, b.literal(choose(b, 0x1p-126, 0x1p-1074)), large);
    Value q = b.select(b.equal(small, large), b.literal(1), b.div(small, large));  // infinity/infinity becomes 1
    Value square = b.mul(q, q);
    Value angle = b.fma(b.mul(q, square), horner(b, square, kAtan), q);
    Value x_sign = sign_bit(b, x);
    angle = with_sign(b, angle, x_sign);
    angle = b.select(steep, b.neg(angle), angle);
    // pi/2 - copysign(pi/2, x) is 0 or pi, exactly twice the rounded pi/2; what pi/2 lacks is added in proportion.
    Value quarter = b.literal(choose(b, kHalfPi32[0], kHalfPi64[0]));
    Value base = b.select(steep, quarter, b.sub(quarter, b.to_real(b.word_op(Op::word_or, b.to_word(quarter), x_sign))));
    Value lacking = b.literal(choose(b, kHalfPi32[1] / kHalfPi32[0], kHalfPi64[1] / kHalfPi64[0]));
    angle = b.add(base, b.fma(base, lacking, angle));
    return b.to_real(b.word_op(Op::word_or, b.to_word(angle), sign_bit(b, y)));
}

}  // namespace mottle::ir
