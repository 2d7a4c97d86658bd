// mottle/ir/functions/approximation.cpp: the parts that elementary functions share
#include "mottle/ir/functions/approximation.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <numbers>

namespace mottle::ir {

Format format_of(const Builder& b) {
    if (b.f64()) return {52, 1023, 0x1.8p52, 0x8000000000000000u, 0x3ff0000000000000u, 0x4330000000000000u};
    return {23, 127, 0x1.8p23, 0x80000000u, 0x3f800000u, 0x4b000000u};
}

Value horner(Builder& b, Value x, const Coefficients& coefficients) {
    const auto c = b.f64() ? coefficients.f64 : coefficients.f32;
    Value sum = b.literal(c.back());
    for (std::size_t i = c.size() - 1; i-- > 0;) sum = b.fma(sum, x, b.literal(c[i]));
    return sum;
}

Rounded round_scaled(Builder& b, Value x, double factor, double offset) {
    Value constant = b.literal(format_of(b).magic + offset);
    Value sum = b.fma(x, b.literal(factor), constant);
    return {sum, b.sub(sum, constant)};
}

Rounded round_sum(Builder& b, Value x, double offset) {
    Value constant = b.literal(format_of(b).magic + offset);
    Value sum = b.add(x, constant);
    return {sum, b.sub(sum, constant)};
}

Value power_of_two(Builder& b, Value sum) {
    auto mantissa = static_cast<std::uint64_t>(format_of(b).mantissa);
    return b.to_real(b.word_op(Op::word_shl, b.to_word(sum), b.word(mantissa)));
}

Value sign_bit(Builder& b, Value x) { return b.word_op(Op::word_and, b.to_word(x), b.word(format_of(b).sign)); }

Decomposed decompose(Builder& b, Value x) {
    const Format format = format_of(b);
    Value subnormal = -1;
    if (b.f64()) {  // f32 has no subnormal operands
        subnormal = b.less(x, b.literal(0x1p-1022));
        x = b.select(subnormal, b.mul(x, b.literal(0x1p54)), x);
    }
    // The bits of sqrt(1/2): adding `one - half` carries into the exponent exactly where the mantissa reaches sqrt(2).
    const std::uint64_t half = b.f64() ? std::bit_cast<std::uint64_t>(std::numbers::sqrt2 / 2) : std::uint64_t{0x3f3504f3};
    const std::uint64_t fraction = (std::uint64_t{1} << format.mantissa) - 1;
    Value shifted = b.word_op(Op::word_add, b.to_word(x), b.word(format.one - half));
    Value mantissa = b.to_real(b.word_op(Op::word_add, b.word_op(Op::word_and, shifted, b.word(fraction)), b.word(half)));
    Value exponent = b.word_op(Op::word_shr, shifted, b.word(static_cast<std::uint64_t>(format.mantissa)));
    Value real = b.to_real(b.word_op(Op::word_or, exponent, b.word(format.integer)));
    const double zero = (b.f64() ? 0x1p52 : 0x1p23) + format.bias;
    Value integer = b.sub(real, b.literal(zero));
    return {mantissa, subnormal < 0 ? integer : b.sub(integer, b.select(subnormal, b.literal(54), b.literal(0)))};
}

bool all_literal(const Builder& b, std::initializer_list<Value> values) {
    for (Value value : values) {
        if (b.code()[core::at(value)].op != Op::literal) return false;
    }
    return true;
}

Value as_host(Builder& host, const Builder& b, Value value) {
    return host.literal(static_cast<double>(round_to<float>(b.code()[core::at(value)].literal())));
}

double folded(const Builder& host, Value value) {
    const Instruction& result = host.code()[core::at(value)];
    if (result.op != Op::literal)
        throw core::InternalError(std::string("a function of literals was not folded: '") + name(result.op) + "' is left");
    return result.literal();
}

}  // namespace mottle::ir
