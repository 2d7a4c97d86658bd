// tests/unit/ir/evaluate_test.cpp: every operation in both precisions, bit for bit, and the floating point modes
#include "mottle/backend/flush_mode.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/builder.h"
#include "mottle/ir/program/evaluate.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace mottle::ir {
namespace evaluate_test {

template <class Real>
using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

template <class Real>
Bits<Real> bits(Real x) {
    return std::bit_cast<Bits<Real>>(x);
}

// Three operands per cell; an odd count, so that loops have a rest.
template <class Real>
struct Operands {
    static constexpr int kCount = 203;
    std::vector<Real> x[3];

    Operands() {
        const Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
        const Real special[] = {0,
                                Real(-0.0),
                                1,
                                -1,
                                Real(0.1),
                                Real(-2.5),
                                Real(7.75),
                                inf,
                                -inf,
                                nan,
                                std::numeric_limits<Real>::max(),
                                std::numeric_limits<Real>::min(),
                                3,
                                Real(1) + std::numeric_limits<Real>::epsilon()};
        std::uint64_t state = 12345;
        for (int i = 0; i < kCount; ++i) {
            for (auto& values : x) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                values.push_back(special[(state >> 33) % std::size(special)]);
            }
        }
    }
};

template <class Real>
std::vector<Real> run(const Code& code, Value result, const Operands<Real>& operands, bool flush = false) {
    RowEvaluator<Real> evaluator(Operands<Real>::kCount);
    auto uniform = [](int index) { return static_cast<Real>(index + 10); };
    auto fetch = [&operands](const Instruction& instruction, std::span<Real> out) {
        std::ranges::copy(operands.x[instruction.index], out.begin());
    };
    {
        backend::FlushMode mode(flush);
        evaluator.run(code, uniform, fetch);
    }
    auto values = evaluator.value(result);
    return {values.begin(), values.end()};
}

template <class Real>
class Evaluate : public ::testing::Test {
   protected:
    static constexpr bool kF64 = sizeof(Real) == 8;
    using Word = Bits<Real>;

    // Compares `op` of the operands with `expected`, every bit but those of a NaN.
    template <class Expected>
    void expect(Op op, Expected expected) {
        Builder b(kF64);
        Instruction instruction;
        instruction.op = op;
        for (int i = 0; i < arity(op); ++i) instruction.args[static_cast<std::size_t>(i)] = b.load(i);
        Value result = b.emit(instruction);
        auto values = run<Real>(b.code(), result, operands_);
        for (int i = 0; i < Operands<Real>::kCount; ++i) {
            auto k = static_cast<std::size_t>(i);
            Real wanted = expected(operands_.x[0][k], operands_.x[1][k], operands_.x[2][k]);
            if (std::isnan(wanted) && std::isnan(values[k])) continue;
            ASSERT_EQ(bits(values[k]), bits(wanted))
                << name(op) << " of " << operands_.x[0][k] << ", " << operands_.x[1][k] << ", " << operands_.x[2][k];
        }
    }

    // Compares a word operation on the bits of the operands.
    template <class Expected>
    void expect_words(Op op, Expected expected) {
        Builder b(kF64);
        bool shift = op == Op::word_shl || op == Op::word_shr;
        Value y = shift ? b.word(5) : b.to_word(b.load(1));
        Value result = b.to_real(b.word_op(op, b.to_word(b.load(0)), y));
        auto values = run<Real>(b.code(), result, operands_);
        for (std::size_t k = 0; k < Operands<Real>::kCount; ++k) {
            Word wanted = expected(bits(operands_.x[0][k]), shift ? Word{5} : bits(operands_.x[1][k]));
            ASSERT_EQ(bits(values[k]), wanted) << name(op) << " cell " << k;
        }
    }

    Operands<Real> operands_;
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Evaluate, Reals);

TYPED_TEST(Evaluate, Arithmetic) {
    using R = TypeParam;
    this->expect(Op::add, [](R a, R b, R) { return a + b; });
    this->expect(Op::sub, [](R a, R b, R) { return a - b; });
    this->expect(Op::mul, [](R a, R b, R) { return a * b; });
    this->expect(Op::div, [](R a, R b, R) { return a / b; });
    this->expect(Op::sqrt, [](R a, R, R) { return std::sqrt(a); });
    this->expect(Op::fma, [](R a, R b, R c) { return std::fma(a, b, c); });
    this->expect(Op::floor, [](R a, R, R) { return std::floor(a); });
    this->expect(Op::neg, [](R a, R, R) { return -a; });
    this->expect(Op::abs, [](R a, R, R) { return std::abs(a); });
}

TYPED_TEST(Evaluate, ComparisonsSelect) {
    using R = TypeParam;
    for (Op op : {Op::less, Op::less_equal, Op::equal}) {
        Builder b(this->kF64);
        Value x = b.load(0), y = b.load(1);
        Value mask = op == Op::less ? b.less(x, y) : op == Op::less_equal ? b.less_equal(x, y) : b.equal(x, y);
        Value result = b.select(mask, b.literal(2), b.load(2));
        auto values = run<R>(b.code(), result, this->operands_);
        for (std::size_t k = 0; k < values.size(); ++k) {
            R a = this->operands_.x[0][k], c = this->operands_.x[1][k];
            bool holds = op == Op::less ? a < c : op == Op::less_equal ? a <= c : a == c;
            ASSERT_EQ(bits(values[k]), bits(holds ? R(2) : this->operands_.x[2][k])) << name(op) << " of " << a << ", " << c;
        }
    }
}

TYPED_TEST(Evaluate, Words) {
    using W = typename TestFixture::Word;
    this->expect_words(Op::word_add, [](W a, W b) { return static_cast<W>(a + b); });
    this->expect_words(Op::word_sub, [](W a, W b) { return static_cast<W>(a - b); });
    this->expect_words(Op::word_mul, [](W a, W b) { return static_cast<W>(a * b); });
    this->expect_words(Op::word_mul_high, [](W a, W b) {
        constexpr W kLow = (W{1} << 4 * sizeof(W)) - 1;
        const W a0 = a & kLow, a1 = a >> 4 * sizeof(W), b0 = b & kLow, b1 = b >> 4 * sizeof(W);
        const W middle = static_cast<W>(a1 * b0 + (a0 * b0 >> 4 * sizeof(W)));
        return static_cast<W>(a1 * b1 + (middle >> 4 * sizeof(W)) + (static_cast<W>((middle & kLow) + a0 * b1) >> 4 * sizeof(W)));
    });
    this->expect_words(Op::word_and, [](W a, W b) { return static_cast<W>(a & b); });
    this->expect_words(Op::word_or, [](W a, W b) { return static_cast<W>(a | b); });
    this->expect_words(Op::word_xor, [](W a, W b) { return static_cast<W>(a ^ b); });
    this->expect_words(Op::word_shl, [](W a, W b) { return static_cast<W>(a << b); });
    this->expect_words(Op::word_shr, [](W a, W b) { return static_cast<W>(a >> b); });
}

TYPED_TEST(Evaluate, ProductsAndSumsAreNotContracted) {
    using R = TypeParam;
    Builder b(this->kF64);
    Value x = b.load(0), product = b.mul(x, x);
    Value result = b.sub(product, b.literal(1));
    Operands<R> operands;
    const R next = R(1) + std::numeric_limits<R>::epsilon();
    operands.x[0].assign(Operands<R>::kCount, next);
    volatile R rounded = next * next;
    for (R value : run<R>(b.code(), result, operands)) ASSERT_EQ(value, rounded - 1);
}

TYPED_TEST(Evaluate, UniformsAndLiteralsFillTheRow) {
    using R = TypeParam;
    Builder b(this->kF64);
    Value result = b.add(b.uniform(3), b.literal(0.1));
    for (R value : run<R>(b.code(), result, this->operands_)) ASSERT_EQ(value, R(13) + R(0.1));
}

TYPED_TEST(Evaluate, ARowOfOneCellAndACodeOfAnotherLength) {
    using R = TypeParam;
    RowEvaluator<R> evaluator(1);
    for (int n : {1, 50, 3}) {
        Builder b(this->kF64);
        Value sum = b.load(0);
        for (int i = 0; i < n; ++i) sum = b.add(sum, b.literal(1 << i % 20));
        evaluator.run(
            b.code(), [](int) { return R(0); }, [](const Instruction&, std::span<R> out) { out[0] = 5; });
        R wanted = 5;
        for (int i = 0; i < n; ++i) wanted += static_cast<R>(1 << i % 20);
        EXPECT_EQ(evaluator.value(sum)[0], wanted);
        EXPECT_EQ(evaluator.value(sum).size(), 1u);
    }
    EXPECT_THROW(RowEvaluator<R>(0), core::InternalError);
}

// Rounded to 24 bits first, then flushed: the edge where processors differ.
TEST(EvaluateF32, UnderflowFlushesAfterRounding) {
    Builder b(false);
    Value product = b.mul(b.load(0), b.load(1));
    Operands<float> operands;
    const float cases[][3] = {{0x1.fffffep-1f, 0x1p-126f, 0.0f},              // exact, below 2^-126
                              {0x1.000002p-1f, 0x1.fffffcp-126f, 0x1p-126f},  // 2^-126 (1 - 2^-46): 24 bits round it up
                              {0x1p-100f, 0x1p-50f, 0.0f},
                              {-0x1p-100f, 0x1p-50f, -0.0f},
                              {0x1p-63f, 0x1p-63f, 0x1p-126f}};
    for (const auto& [x, y, wanted] : cases) {
        operands.x[0].assign(Operands<float>::kCount, x);
        operands.x[1].assign(Operands<float>::kCount, y);
        for (float value : run<float>(b.code(), product, operands, true)) ASSERT_EQ(bits(value), bits(wanted)) << x << " * " << y;
    }
}

TEST(RoundTo, F32FlushesWhatRoundsBelowTheSmallestNormalNumber) {
    EXPECT_EQ(bits(round_to<float>(0.1)), bits(0.1f));
    EXPECT_EQ(bits(round_to<float>(-1e-40)), bits(-0.0f));
    EXPECT_EQ(round_to<float>(0x1p-126), 0x1p-126f);
    EXPECT_EQ(round_to<float>(0x1.fffffep-127), 0.0f) << "24 bits, below 2^-126";
    EXPECT_EQ(round_to<float>(0x1.ffffffp-127), 0x1p-126f) << "a tie that rounds up to 2^-126";
    EXPECT_EQ(round_to<float>(0x1.fffffefffffffp-127), 0.0f);
    EXPECT_TRUE(std::isinf(round_to<float>(1e39)));
    EXPECT_TRUE(std::isnan(round_to<float>(std::nan(""))));
    EXPECT_EQ(round_to<double>(0x1p-1074), 0x1p-1074);
}

TEST(Evaluate, HostCodeAnswersUniformsFromItsInputs) {
    Builder b(true);
    b.sub(b.literal(1), b.mul(b.literal(4), b.mul(b.uniform(1), b.uniform(0))));
    const double inputs[] = {0.25, 0.1};
    EXPECT_EQ(evaluate(b.code(), inputs), 1 - 4 * (0.1 * 0.25));
    EXPECT_THROW(evaluate(b.code(), std::span(inputs, 1)), core::InternalError);
    EXPECT_THROW(evaluate({}, inputs), core::InternalError);
    Builder with_load(true);
    with_load.neg(with_load.load(0));
    EXPECT_THROW(evaluate(with_load.code(), inputs), core::InternalError);
}

TEST(Evaluate, UniformsOfAProgram) {
    Program program;
    program.inputs = {"dt", "t", "k"};
    Builder first(true), second(true);
    first.mul(first.uniform(0), first.uniform(2));
    second.add(second.uniform(1), second.literal(1));
    program.uniforms = {{"dt*k", first.code(), false}, {"t+1", second.code(), true}};
    const double inputs[] = {0.5, 3, 0.125};
    EXPECT_EQ(evaluate_uniforms(program, inputs), (std::vector<double>{0.0625, 4}));
    EXPECT_THROW(evaluate_uniforms(program, std::span(inputs, 2)), core::InternalError);
}

TEST(Evaluate, RoundSingleIsTheNearestF32) {
    Builder b(true);
    b.round_single(b.uniform(0));
    for (double x : {0.1, -1.0 / 3, 1e-50, 1e300, 16777217.0}) {
        const double inputs[] = {x};
        EXPECT_EQ(evaluate(b.code(), inputs), static_cast<double>(round_to<float>(x)));
    }
}

TEST(Evaluate, HostCodeRefusesAnotherRounding) {
    Builder b(true);
    b.add(b.uniform(0), b.literal(1));
    const double inputs[] = {1};
    std::fesetround(FE_UPWARD);
    EXPECT_THROW(evaluate(b.code(), inputs), core::InternalError);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(evaluate(b.code(), inputs), 2);
}

TEST(Evaluate, HostCodeRefusesFlushingToZero) {
    Builder b(true);
    b.add(b.uniform(0), b.literal(1));
    const double inputs[] = {1};
    {
        backend::FlushMode flush(true);
        EXPECT_THROW(evaluate(b.code(), inputs), core::InternalError);
    }
    EXPECT_EQ(evaluate(b.code(), inputs), 2);
}

}  // namespace evaluate_test
}  // namespace mottle::ir
