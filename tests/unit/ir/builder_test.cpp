// tests/unit/ir/builder_test.cpp: sharing of equal instructions, folding of constants, and what is not folded
#include "mottle/core/error.h"
#include "mottle/ir/program/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mottle::ir {
namespace builder_test {

const Instruction& at(const Builder& b, Value value) { return b.code()[static_cast<std::size_t>(value)]; }

double literal_of(const Builder& b, Value value) {
    EXPECT_EQ(at(b, value).op, Op::literal) << name(at(b, value).op);
    return at(b, value).literal();
}

std::uint64_t word_of(const Builder& b, Value value) {
    EXPECT_EQ(at(b, value).op, Op::word) << name(at(b, value).op);
    return at(b, value).bits;
}

TEST(Builder, EqualInstructionsShareOneValue) {
    Builder b(false);
    Value u = b.load(0, -1, 0), v = b.load(0, 1, 0);
    EXPECT_NE(u, v);
    EXPECT_EQ(b.load(0, -1, 0), u);
    EXPECT_NE(b.load(1, -1, 0), u);
    EXPECT_NE(b.axis(kAxisX, -1), b.axis(kAxisX));
    EXPECT_EQ(b.add(u, v), b.add(u, v));
    EXPECT_NE(b.add(u, v), b.add(v, u)) << "operands keep their order";
    EXPECT_EQ(b.literal(0.5), b.literal(0.5));
    EXPECT_NE(b.literal(0.0), b.literal(-0.0));
    EXPECT_EQ(b.literal(std::nan("1")), b.literal(-std::nan("2"))) << "the bits of a NaN mean nothing";
    EXPECT_EQ(b.uniform(3), b.uniform(3));
}

TEST(Builder, FoldsOperationsOnLiterals) {
    Builder b(true);
    auto number = [&b](double x) { return b.literal(x); };
    EXPECT_EQ(literal_of(b, b.add(number(0.1), number(0.2))), 0.1 + 0.2);
    EXPECT_EQ(literal_of(b, b.sub(number(0.1), number(0.3))), 0.1 - 0.3);
    EXPECT_EQ(literal_of(b, b.mul(number(0.1), number(0.3))), 0.1 * 0.3);
    EXPECT_EQ(literal_of(b, b.div(number(1), number(3))), 1.0 / 3.0);
    EXPECT_EQ(literal_of(b, b.sqrt(number(2))), std::sqrt(2.0));
    EXPECT_EQ(literal_of(b, b.fma(number(0.1), number(10), number(-1))), 0x1p-54) << "one rounding";
    EXPECT_EQ(literal_of(b, b.floor(number(-0.5))), -1);
    EXPECT_EQ(literal_of(b, b.abs(number(-0.5))), 0.5);
    EXPECT_EQ(literal_of(b, b.round_single(number(0.1))), 0x1.99999ap-4);
    Value minus_zero = b.neg(number(0));
    EXPECT_TRUE(std::signbit(literal_of(b, minus_zero)));
}

TEST(Builder, F32CodeFoldsInF64AsAUniformWould) {
    Builder b(false);
    EXPECT_EQ(literal_of(b, b.div(b.literal(1), b.literal(3))), 1.0 / 3.0);
    EXPECT_EQ(literal_of(b, b.add(b.literal(1), b.literal(0x1p-40))), 1 + 0x1p-40);
}

TEST(Builder, FoldsWordsInTheWidthOfTheCode) {
    for (bool f64 : {false, true}) {
        Builder b(f64);
        const std::uint64_t ones = f64 ? ~std::uint64_t{0} : 0xffffffffu;
        EXPECT_EQ(word_of(b, b.word(~std::uint64_t{0})), ones);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_add, b.word(ones), b.word(2))), 1u);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_sub, b.word(0), b.word(1))), ones);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_mul, b.word(ones), b.word(ones))), 1u);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_and, b.word(6), b.word(3))), 2u);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_or, b.word(6), b.word(3))), 7u);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_xor, b.word(6), b.word(3))), 5u);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_shl, b.word(ones), b.word(4))), ones - 15);
        EXPECT_EQ(word_of(b, b.word_op(Op::word_shr, b.word(ones), b.word(4))), ones / 16) << "logical shift";
        EXPECT_EQ(word_of(b, b.to_word(b.literal(1))), f64 ? 0x3ff0000000000000u : 0x3f800000u);
        EXPECT_EQ(literal_of(b, b.to_real(b.word(f64 ? 0xc004000000000000u : 0xc0200000u))), -2.5);
    }
}

TEST(Builder, F32WordsOfLiteralsAreThoseOfTheRoundedNumber) {
    Builder b(false);
    EXPECT_EQ(word_of(b, b.to_word(b.literal(0.1))), std::bit_cast<std::uint32_t>(0.1f));
    EXPECT_EQ(word_of(b, b.to_word(b.literal(-1e-40))), 0x80000000u) << "subnormal numbers are flushed";
}

TEST(Builder, KeepsWhatIsNoIdentity) {
    Builder b(false);
    Value x = b.load(0), zero = b.literal(0), one = b.literal(1);
    EXPECT_EQ(at(b, b.mul(zero, x)).op, Op::mul) << "0*Inf is NaN";
    EXPECT_EQ(at(b, b.add(x, zero)).op, Op::add) << "-0 + 0 is +0";
    EXPECT_EQ(at(b, b.sub(x, x)).op, Op::sub);
    EXPECT_EQ(at(b, b.fma(x, one, zero)).op, Op::fma);
    EXPECT_EQ(at(b, b.add(b.uniform(0), b.literal(2))).op, Op::add);
}

TEST(Builder, NegationsCancel) {
    Builder b(false);
    Value x = b.load(0);
    EXPECT_EQ(b.neg(b.neg(x)), x);
    EXPECT_EQ(literal_of(b, b.neg(b.literal(2))), -2);
}

TEST(Builder, SelectOnConstantsTakesItsSide) {
    Builder b(true);
    Value x = b.load(0), y = b.load(1), nan = b.literal(std::numeric_limits<double>::quiet_NaN());
    Value one = b.literal(1), two = b.literal(2);
    EXPECT_EQ(b.select(b.less(one, two), x, y), x);
    EXPECT_EQ(b.select(b.less(two, one), x, y), y);
    EXPECT_EQ(b.select(b.less_equal(one, one), x, y), x);
    EXPECT_EQ(b.select(b.equal(one, two), x, y), y);
    EXPECT_EQ(b.select(b.equal(nan, nan), x, y), y);
    EXPECT_EQ(at(b, b.select(b.less(x, one), x, y)).op, Op::select);
}

TEST(Builder, TakeKeepsWhatTheRootsNeed) {
    Builder b(false);
    Value x = b.load(0), unused = b.sqrt(x), y = b.load(1);
    b.less(b.literal(1), b.literal(2));
    Value sum = b.add(x, y), product = b.mul(sum, y);
    EXPECT_NE(unused, sum);
    std::array<Value, 2> roots{product, x};
    Code code = b.take(roots);
    ASSERT_EQ(code.size(), 4u);
    EXPECT_EQ(roots, (std::array<Value, 2>{3, 0}));
    EXPECT_EQ(code[0].op, Op::load);
    EXPECT_EQ(code[1].index, 1);
    EXPECT_EQ(code[2].op, Op::add);
    EXPECT_EQ(code[2].args, (std::array<Value, 3>{0, 1, -1}));
    EXPECT_EQ(code[3].args, (std::array<Value, 3>{2, 1, -1}));
}

TEST(Builder, CodeOfAValueEndsWithIt) {
    Builder b(false);
    Value x = b.load(0), root = b.sqrt(x);
    b.add(root, x);
    const Code code = b.code_of(root);
    ASSERT_EQ(code.size(), 2u);
    EXPECT_EQ(code.back().op, Op::sqrt);
    EXPECT_EQ(b.code().size(), 3u);  // it stays as it is
}

TEST(Builder, TakeOrdersByUse) {
    Builder one(false), other(false);
    Value x = one.load(0), y = one.load(1), first = one.sub(x, y);
    Value y2 = other.load(1), x2 = other.load(0), second = other.sub(x2, y2);
    EXPECT_NE(one.code(), other.code());
    EXPECT_EQ(one.take(std::span(&first, 1)), other.take(std::span(&second, 1)));
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 2);
}

TEST(Builder, RefusesArgumentsThatDoNotExist) {
    Builder b(false);
    Value x = b.load(0);
    EXPECT_THROW(b.add(x, 7), core::InternalError);
    EXPECT_THROW(b.neg(-1), core::InternalError);
    EXPECT_THROW(b.load(0, 200), core::InternalError);
}

}  // namespace builder_test
}  // namespace mottle::ir
