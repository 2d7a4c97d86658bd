// tests/unit/ir/functions_test.cpp: special values, definitions in their operand order, literal arguments and operation counts
#include "mottle/backend/flush_mode.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mottle::ir {
namespace functions_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

// The value of code of the operands x, y, z (arrays 0, 1, 2) in one cell.
template <class Real>
Real evaluate_cell(const Code& code, Value result, double x, double y, double z) {
    RowEvaluator<Real> evaluator(1);
    backend::FlushMode mode(sizeof(Real) == 4);
    const double operands[] = {x, y, z};
    evaluator.run(
        code, [](int) { return Real(0); },
        [&](const Instruction& load, std::span<Real> out) { out[0] = static_cast<Real>(operands[load.index]); });
    return evaluator.value(result)[0];
}

using Unary = Value (*)(Builder&, Value);

template <class Real>
Real call(Unary f, double x) {
    Builder b(sizeof(Real) == 8);
    Value result = f(b, b.load(0));
    return evaluate_cell<Real>(b.code(), result, x, 0, 0);
}

template <class Real>
Real call(Value (*f)(Builder&, Value, Value), double x, double y) {
    Builder b(sizeof(Real) == 8);
    Value result = f(b, b.load(0), b.load(1));
    return evaluate_cell<Real>(b.code(), result, x, y, 0);
}

// Equal with its sign, or both NaN.
template <class Real>
::testing::AssertionResult same(Real value, double wanted) {
    const auto rounded = static_cast<Real>(wanted);
    if (std::isnan(value) && std::isnan(rounded)) return ::testing::AssertionSuccess();
    if (value == rounded && std::signbit(value) == std::signbit(rounded)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << value << " instead of " << rounded;
}

template <class Real>
class Functions : public ::testing::Test {
   protected:
    static constexpr bool kF64 = sizeof(Real) == 8;
    static constexpr double kMax = static_cast<double>(std::numeric_limits<Real>::max());
    static constexpr double kMin = static_cast<double>(std::numeric_limits<Real>::min());
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Functions, Reals);

TYPED_TEST(Functions, SpecialValuesOfExp) {
    using R = TypeParam;
    EXPECT_TRUE(same(call<R>(exp, 0), 1));
    EXPECT_TRUE(same(call<R>(exp, -0.0), 1));
    EXPECT_TRUE(same(call<R>(exp, kInf), kInf));
    EXPECT_TRUE(same(call<R>(exp, -kInf), 0));
    EXPECT_TRUE(same(call<R>(exp, kNan), kNan));
    EXPECT_TRUE(same(call<R>(exp, this->kMax), kInf));
    EXPECT_TRUE(same(call<R>(exp, -this->kMax), 0));
    EXPECT_TRUE(same(call<R>(exp, this->kMin), 1));
    EXPECT_TRUE(same(call<R>(exp, -this->kMin), 1));
}

TYPED_TEST(Functions, SpecialValuesOfLog) {
    using R = TypeParam;
    EXPECT_TRUE(same(call<R>(log, 1), 0));
    EXPECT_TRUE(same(call<R>(log, 0), -kInf));
    EXPECT_TRUE(same(call<R>(log, -0.0), -kInf));
    EXPECT_TRUE(same(call<R>(log, -1), kNan));
    EXPECT_TRUE(same(call<R>(log, -kInf), kNan));
    EXPECT_TRUE(same(call<R>(log, kInf), kInf));
    EXPECT_TRUE(same(call<R>(log, kNan), kNan));
}

TYPED_TEST(Functions, SpecialValuesOfTanh) {
    using R = TypeParam;
    EXPECT_TRUE(same(call<R>(tanh, 0), 0));
    EXPECT_TRUE(same(call<R>(tanh, -0.0), -0.0));
    EXPECT_TRUE(same(call<R>(tanh, kInf), 1));
    EXPECT_TRUE(same(call<R>(tanh, -kInf), -1));
    EXPECT_TRUE(same(call<R>(tanh, kNan), kNan));
    EXPECT_TRUE(same(call<R>(tanh, this->kMin), this->kMin));
    EXPECT_TRUE(same(call<R>(tanh, -this->kMax), -1));
}

TYPED_TEST(Functions, SpecialValuesOfSinCosTan) {
    using R = TypeParam;
    const double limit = this->kF64 ? 0x1p25 : 0x1p15;
    const double beyond = static_cast<double>(std::nextafter(static_cast<R>(limit), std::numeric_limits<R>::infinity()));
    for (const Unary f : std::initializer_list<Unary>{sin, tan}) {
        EXPECT_TRUE(same(call<R>(f, 0), 0));
        EXPECT_TRUE(same(call<R>(f, -0.0), -0.0));
        EXPECT_TRUE(same(call<R>(f, this->kMin), this->kMin));
        EXPECT_TRUE(same(call<R>(f, -this->kMin), -this->kMin));
    }
    EXPECT_TRUE(same(call<R>(cos, 0), 1));
    EXPECT_TRUE(same(call<R>(cos, -0.0), 1));
    for (const Unary f : std::initializer_list<Unary>{sin, cos, tan}) {
        EXPECT_FALSE(std::isnan(call<R>(f, limit)));
        EXPECT_FALSE(std::isnan(call<R>(f, -limit)));
        for (double x : {beyond, -beyond, this->kMax, kInf, -kInf, kNan}) EXPECT_TRUE(same(call<R>(f, x), kNan)) << x;
    }
}

TYPED_TEST(Functions, SpecialValuesOfAtan2) {
    using R = TypeParam;
    const struct {
        double y, x, wanted;
    } cases[] = {{0, 1, 0},
                 {-0.0, 1, -0.0},
                 {0, 0, 0},
                 {-0.0, 0, -0.0},
                 {0, -0.0, kPi},
                 {-0.0, -0.0, -kPi},
                 {0, -1, kPi},
                 {-0.0, -1, -kPi},
                 {1, 0, kPi / 2},
                 {-1, 0, -kPi / 2},
                 {1, -0.0, kPi / 2},
                 {1, 1, kPi / 4},
                 {1, -1, 3 * kPi / 4},
                 {-1, -1, -3 * kPi / 4},
                 {1, kInf, 0},
                 {-1, kInf, -0.0},
                 {1, -kInf, kPi},
                 {-1, -kInf, -kPi},
                 {kInf, 1, kPi / 2},
                 {-kInf, 1, -kPi / 2},
                 {kInf, kInf, kPi / 4},
                 {-kInf, kInf, -kPi / 4},
                 {kInf, -kInf, 3 * kPi / 4},
                 {kNan, 1, kNan},
                 {1, kNan, kNan},
                 {kNan, 0, kNan},
                 {0, kNan, kNan},
                 {kNan, kInf, kNan},
                 {kInf, kNan, kNan},
                 {this->kMin, -this->kMax, kPi},
                 {this->kMin, this->kMin, kPi / 4},
                 {this->kMax, -this->kMax, 3 * kPi / 4}};
    for (const auto& [y, x, wanted] : cases) EXPECT_TRUE(same(call<R>(atan2, y, x), wanted)) << "atan2(" << y << ", " << x << ")";
}

TYPED_TEST(Functions, SpecialValuesOfPow) {
    using R = TypeParam;
    const double odd = this->kF64 ? 0x1.fffffffffffffp52 : 0x1.fffffep23, even = 2 * odd;
    const struct {
        double x, y, wanted;
    } cases[] = {// y = 0, x = 1
                 {2, 0, 1},
                 {0, 0, 1},
                 {-3, -0.0, 1},
                 {kInf, 0, 1},
                 {-kInf, 0, 1},
                 {kNan, 0, 1},
                 {1, kNan, 1},
                 {1, kInf, 1},
                 {1, -kInf, 1},
                 {1, 1e30, 1},
                 {-1, kInf, 1},
                 {-1, -kInf, 1},
                 {-1, odd, -1},
                 {-1, even, 1},
                 {-1, 3, -1},
                 {-1, -4, 1},
                 // NaN
                 {kNan, 2, kNan},
                 {2, kNan, kNan},
                 {0, kNan, kNan},
                 {kInf, kNan, kNan},
                 {-2, kNan, kNan},
                 {kNan, kNan, kNan},
                 {kNan, kInf, kNan},
                 // zero
                 {0, 2.5, 0},
                 {0, 3, 0},
                 {-0.0, 3, -0.0},
                 {-0.0, 2, 0},
                 {-0.0, 0.5, 0},
                 {0, -1, kInf},
                 {-0.0, -1, -kInf},
                 {-0.0, -2, kInf},
                 {0, -0.5, kInf},
                 {0, kInf, 0},
                 {0, -kInf, kInf},
                 {-0.0, kInf, 0},
                 // infinity
                 {kInf, 2, kInf},
                 {kInf, -2, 0},
                 {kInf, 0.001, kInf},
                 {kInf, kInf, kInf},
                 {kInf, -kInf, 0},
                 {-kInf, 3, -kInf},
                 {-kInf, 2, kInf},
                 {-kInf, -3, -0.0},
                 {-kInf, -2, 0},
                 {2, kInf, kInf},
                 {2, -kInf, 0},
                 {0.5, kInf, 0},
                 {0.5, -kInf, kInf},
                 {-2, kInf, kInf},
                 // negative base
                 {-2, 3, -8},
                 {-2, 4, 16},
                 {-2, -1, -0.5},
                 {-2, 0.5, kNan},
                 {-2, 2.5, kNan},
                 {-0.5, -3, -8},
                 {-kInf, 0.5, kNan},
                 // exact powers, overflow and underflow
                 {2, 10, 1024},
                 {2, -10, 0x1p-10},
                 {4, 0.5, 2},
                 {10, 3, 1000},
                 {3, 1, 3},
                 {this->kMin, 1, this->kMin},
                 {this->kMax, 2, kInf},
                 {-this->kMax, 3, -kInf},
                 {this->kMin, 2, 0},
                 {-this->kMin, 3, -0.0},
                 {2, 1e30, kInf},
                 {2, -1e30, 0},
                 {0.5, 1e30, 0},
                 {2, this->kF64 ? 1024.0 : 128.0, kInf},
                 {2, this->kF64 ? -1022.0 : -126.0, this->kMin}};
    for (const auto& [x, y, wanted] : cases) {
        EXPECT_TRUE(same(call<R>(pow, x, y), wanted)) << "pow(" << x << ", " << y << ")";
        Builder b(this->kF64);
        Value literal_exponent = pow(b, b.load(0), b.literal(y));
        EXPECT_TRUE(same(evaluate_cell<R>(b.code(), literal_exponent, x, 0, 0), wanted)) << "pow(" << x << ", literal " << y << ")";
        Value literal_base = pow(b, b.literal(x), b.load(1));
        EXPECT_TRUE(same(evaluate_cell<R>(b.code(), literal_base, 0, y, 0), wanted)) << "pow(literal " << x << ", " << y << ")";
    }
}

TYPED_TEST(Functions, MinMaxClampPassNanAndMinusZeroOn) {
    using R = TypeParam;
    EXPECT_TRUE(same(call<R>(min, 1, 2), 1));
    EXPECT_TRUE(same(call<R>(min, kNan, 2), 2));
    EXPECT_TRUE(same(call<R>(min, 2, kNan), kNan));
    EXPECT_TRUE(same(call<R>(min, 0, -0.0), -0.0));
    EXPECT_TRUE(same(call<R>(max, 1, 2), 2));
    EXPECT_TRUE(same(call<R>(max, kNan, 2), 2));
    EXPECT_TRUE(same(call<R>(max, 2, kNan), kNan));
    EXPECT_TRUE(same(call<R>(max, 0, -0.0), -0.0));
    Builder b(this->kF64);
    Value result = clamp(b, b.load(0), b.load(1), b.load(2));
    auto clamped = [&](double x) { return evaluate_cell<R>(b.code(), result, x, 0, 1); };
    EXPECT_TRUE(same(clamped(0.25), 0.25));
    EXPECT_TRUE(same(clamped(-3), 0));
    EXPECT_TRUE(same(clamped(3), 1));
    EXPECT_TRUE(same(clamped(-0.0), -0.0));
    EXPECT_TRUE(same(clamped(kNan), kNan));
    EXPECT_TRUE(same(clamped(kInf), 1));
}

TYPED_TEST(Functions, Sign) {
    using R = TypeParam;
    const double cases[][2] = {{3, 1}, {-0.5, -1}, {0, 0}, {-0.0, -0.0}, {kNan, kNan}, {kInf, 1}, {-kInf, -1}, {this->kMin, 1}};
    for (const auto& [x, wanted] : cases) EXPECT_TRUE(same(call<R>(sign, x), wanted)) << x;
}

TYPED_TEST(Functions, ModTakesTheSignOfTheDivisor) {
    using R = TypeParam;
    const double cases[][3] = {{7, 3, 1}, {-7, 3, 2}, {7, -3, -2}, {-7, -3, -1}, {5.5, 2, 1.5}, {-0.25, 1, 0.75}, {6, 3, 0}, {1, 0, kNan}};
    for (const auto& [x, y, wanted] : cases) EXPECT_TRUE(same(call<R>(mod, x, y), wanted)) << "mod(" << x << ", " << y << ")";
    const R x = static_cast<R>(1e4) / 3, y = static_cast<R>(0.7);
    EXPECT_EQ(call<R>(mod, static_cast<double>(x), static_cast<double>(y)), std::fma(-y, std::floor(x / y), x)) << "one fma";
}

TYPED_TEST(Functions, IntegerPowersMultiplyInTheirOrder) {
    using R = TypeParam;
    const R x = static_cast<R>(1.2345678901234567);
    const R x2 = x * x, x3 = x2 * x, x4 = x2 * x2, x5 = x4 * x, x6 = x3 * x3, x7 = x6 * x, x15 = x7 * x7 * x, x16 = (x4 * x4) * (x4 * x4);
    const struct {
        int n;
        R wanted;
    } cases[] = {{0, 1},  {1, x},    {2, x2},   {3, x3},     {4, x4},      {5, x5},     {6, x6},
                 {7, x7}, {15, x15}, {16, x16}, {-1, 1 / x}, {-2, 1 / x2}, {-7, 1 / x7}};
    for (const auto& [n, wanted] : cases) {
        Builder b(this->kF64);
        Value result = powi(b, b.load(0), n);
        EXPECT_EQ(evaluate_cell<R>(b.code(), result, static_cast<double>(x), 0, 0), wanted) << "x^" << n;
    }
}

// Literal arguments are evaluated in f64, in f32 code too; the result is what a uniform would hold.
TYPED_TEST(Functions, LiteralArgumentsBecomeOneLiteral) {
    Builder b(this->kF64);
    auto literal_of = [&b](Value value) {
        const Instruction& made = b.code()[static_cast<std::size_t>(value)];
        EXPECT_EQ(made.op, Op::literal);
        return made.literal();
    };
    const double x = this->kF64 ? 0.3 : static_cast<double>(0.3f), y = this->kF64 ? 1.7 : static_cast<double>(1.7f);
    Value u = b.literal(0.3), v = b.literal(1.7);
    EXPECT_DOUBLE_EQ(literal_of(exp(b, u)), std::exp(x));
    EXPECT_DOUBLE_EQ(literal_of(log(b, u)), std::log(x));
    EXPECT_DOUBLE_EQ(literal_of(tanh(b, u)), std::tanh(x));
    EXPECT_DOUBLE_EQ(literal_of(sin(b, u)), std::sin(x));
    EXPECT_DOUBLE_EQ(literal_of(cos(b, u)), std::cos(x));
    EXPECT_DOUBLE_EQ(literal_of(tan(b, u)), std::tan(x));
    EXPECT_DOUBLE_EQ(literal_of(atan2(b, u, v)), std::atan2(x, y));
    EXPECT_DOUBLE_EQ(literal_of(pow(b, u, v)), std::pow(x, y));
    EXPECT_EQ(literal_of(powi(b, b.literal(2), 10)), 1024);
    EXPECT_TRUE(std::isnan(literal_of(log(b, b.literal(-1)))));
}

// Operations that a kernel performs; a bit cast costs nothing, nor does a select that makes one min or max with its comparison.
int operation_count(Builder& b, Value result) {
    Code code = b.take(std::span(&result, 1));
    int count = 0;
    for (const Instruction& made : code) {
        if (arity(made.op) == 0 || made.op == Op::to_word || made.op == Op::to_real) continue;
        if (made.op == Op::select) {
            const Instruction& mask = code[static_cast<std::size_t>(made.args[0])];
            bool straight = mask.args[0] == made.args[1] && mask.args[1] == made.args[2];
            bool crossed = mask.args[0] == made.args[2] && mask.args[1] == made.args[1];
            if (mask.op == Op::less && (straight || crossed)) continue;
        }
        ++count;
    }
    return count;
}

TEST(FunctionCost, OperationsAsDocumented) {
    const struct {
        const char* name;
        Value (*make)(Builder&);
        int f32, f64;
    } cases[] = {{"exp", [](Builder& b) { return exp(b, b.load(0)); }, 15, 20},
                 {"log", [](Builder& b) { return log(b, b.load(0)); }, 23, 40},
                 {"tanh", [](Builder& b) { return tanh(b, b.load(0)); }, 25, 38},
                 {"sin", [](Builder& b) { return sin(b, b.load(0)); }, 23, 29},
                 {"cos", [](Builder& b) { return cos(b, b.load(0)); }, 22, 28},
                 {"tan", [](Builder& b) { return tan(b, b.load(0)); }, 31, 39},
                 {"atan2", [](Builder& b) { return atan2(b, b.load(0), b.load(1)); }, 28, 40},
                 {"pow", [](Builder& b) { return pow(b, b.load(0), b.load(1)); }, 93, 108},
                 {"pow(x, 2.5)", [](Builder& b) { return pow(b, b.load(0), b.literal(2.5)); }, 75, 90},
                 {"pow(1.7, y)", [](Builder& b) { return pow(b, b.literal(1.7), b.load(0)); }, 34, 39}};
    for (const auto& c : cases) {
        Builder single(false), full(true);
        EXPECT_EQ(operation_count(single, c.make(single)), c.f32) << c.name << " f32";
        EXPECT_EQ(operation_count(full, c.make(full)), c.f64) << c.name << " f64";
    }
}

}  // namespace functions_test
}  // namespace mottle::ir
