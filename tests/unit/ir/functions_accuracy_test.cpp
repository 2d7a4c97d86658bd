// tests/unit/ir/functions_accuracy_test.cpp: elementary functions against long double, at least a million points each, and their symmetries
#include "mottle/backend/flush_mode.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace mottle::ir {
namespace functions_accuracy_test {

template <class Real>
using Points = std::vector<Real>;

/// Evaluates code of one or two operands (arrays 0 and 1), f32 in the mode that kernels run in.
template <class Real>
Points<Real> evaluate_points(const Code& code, Value result, const Points<Real>& x, const Points<Real>& y) {
    constexpr std::size_t kRow = 500;
    RowEvaluator<Real> evaluator(kRow);
    Points<Real> values;
    backend::FlushMode mode(sizeof(Real) == 4);
    for (std::size_t at = 0; at < x.size(); at += kRow) {
        std::size_t count = std::min(kRow, x.size() - at);
        auto fetch = [&](const Instruction& load, std::span<Real> out) {
            const auto& from = load.index == 0 ? x : y;
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
        };
        evaluator.run(
            code, [](int) { return Real(0); }, fetch);
        auto row = evaluator.value(result);
        values.insert(values.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return values;
}

template <class Real>
Points<Real> values_of(Value (*function)(Builder&, Value), const Points<Real>& x) {
    Builder b(sizeof(Real) == 8);
    Value result = function(b, b.load(0));
    return evaluate_points(b.code(), result, x, x);
}

/// Distance in units of the last place of the reference. What underflows may be 0 (in f64 too) or the smallest normal number.
template <class Real>
double ulps(Real value, long double reference) {
    using Limits = std::numeric_limits<Real>;
    const auto rounded = static_cast<Real>(reference);
    if (std::isnan(reference) || std::isnan(value)) return std::isnan(reference) && std::isnan(value) ? 0 : 1e30;
    if (std::isinf(rounded) || std::isinf(value)) return rounded == value ? 0 : 1e30;
    const long double border = static_cast<long double>(Limits::min()) * (1 + std::ldexp(1.0L, 2 - Limits::digits));
    if (std::fabs(reference) < border) {
        bool near_enough = value == 0 || std::fabs(value) == Limits::min() || std::fabs(value - reference) <= 2 * Limits::denorm_min();
        return near_enough ? 0 : 1e30;
    }
    int exponent;
    std::frexp(reference, &exponent);
    const long double unit = std::ldexp(1.0L, exponent - Limits::digits);
    return static_cast<double>(std::fabs(static_cast<long double>(value) - reference) / unit);
}

template <class Real>
class Sampler {
   public:
    /// Evenly between the bounds.
    void even(double low, double high, int count) {
        std::uniform_real_distribution<double> at(low, high);
        for (int i = 0; i < count; ++i) add(at(random_));
    }
    /// Of every magnitude between 2^low and 2^high, with both signs if asked.
    void magnitudes(double low, double high, bool both, int count) {
        std::uniform_real_distribution<double> at(low, high);
        for (int i = 0; i < count; ++i) add(std::exp2(at(random_)) * (both && random_() % 2 ? -1 : 1));
    }
    /// `count` neighbours on each side of x.
    void around(double x, int count) {
        auto below = static_cast<Real>(x), above = below;
        for (int i = 0; i < count; ++i) {
            add(below = std::nextafter(below, -std::numeric_limits<Real>::infinity()));
            add(above = std::nextafter(above, std::numeric_limits<Real>::infinity()));
        }
        add(x);
    }
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    Points<Real> points;

   private:
    void add(double x) {
        auto rounded = static_cast<Real>(x);
        if (std::fabs(rounded) < std::numeric_limits<Real>::min()) rounded = std::copysign(std::numeric_limits<Real>::min(), rounded);
        points.push_back(rounded);
    }
    std::mt19937_64 random_{20240731};
};

template <class Real>
void expect_close(Value (*function)(Builder&, Value), long double (*reference)(long double), const Points<Real>& x, double bound) {
    ASSERT_GE(x.size(), 1000000u);
    auto values = values_of(function, x);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double distance = ulps(values[i], reference(static_cast<long double>(x[i])));
        if (distance > worst) {
            worst = distance;
            at = i;
        }
    }
    EXPECT_LE(worst, bound) << std::hexfloat << "f(" << x[at] << ") = " << values[at];
    ::testing::Test::RecordProperty("max_ulp", std::to_string(worst));
}

template <class Real>
void expect_symmetric(Value (*function)(Builder&, Value), const Points<Real>& x, Real sign) {
    Points<Real> mirrored;
    for (Real value : x) mirrored.push_back(-value);
    auto right = values_of(function, x), left = values_of(function, mirrored);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(left[i], sign * right[i]) << "at " << x[i];
}

template <class Real>
class Accuracy : public ::testing::Test {
   protected:
    static constexpr bool kF64 = sizeof(Real) == 8;
    static constexpr double kLeast = kF64 ? -1022 : -126, kMost = kF64 ? 1023.9 : 127.9;  // exponents
    Sampler<Real> sample_;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Accuracy, Reals);

TYPED_TEST(Accuracy, Exp) {
    auto& s = this->sample_;
    const double low = this->kF64 ? -745 : -104, high = this->kF64 ? 711 : 90;
    s.even(low, high, 600000);
    s.even(-2, 2, 300000);
    s.magnitudes(this->kLeast, 10, true, 100000);
    const double overflow = std::log(static_cast<double>(std::numeric_limits<TypeParam>::max()));
    const double underflow = std::log(static_cast<double>(std::numeric_limits<TypeParam>::min()));
    for (double x : {0.0, overflow, underflow, low, high}) s.around(x, 2000);
    expect_close(exp, std::exp, s.points, 2);
}

TYPED_TEST(Accuracy, Log) {
    auto& s = this->sample_;
    s.magnitudes(this->kLeast, this->kMost, false, 500000);
    s.even(0.5, 2, 500000);
    for (double x : {0.5, std::sqrt(0.5), 1.0, std::sqrt(2.0), 2.0}) s.around(x, 2000);
    expect_close(log, std::log, s.points, 2);
}

TEST(AccuracyF64, LogOfSubnormalNumbers) {
    Sampler<double> s;
    for (int i = 0; i < 1000000; ++i) s.points.push_back(std::ldexp(1 + s.uniform(), -1074 + static_cast<int>(s.uniform() * 52)));
    expect_close(log, std::log, s.points, 2);
}

TYPED_TEST(Accuracy, Tanh) {
    auto& s = this->sample_;
    s.even(-12, 12, 300000);
    s.even(-1, 1, 500000);
    s.magnitudes(this->kLeast, this->kMost, true, 200000);
    for (double x : {0.648, 10.0, 20.0}) s.around(x, 2000);
    expect_close(tanh, std::tanh, s.points, 2);
    expect_symmetric<TypeParam>(tanh, s.points, -1);
}

template <class Real>
void sample_angles(Sampler<Real>& s, double limit, double least) {
    s.even(-limit, limit, 500000);
    s.even(-10, 10, 300000);
    s.magnitudes(least, std::log2(limit), true, 200000);
    for (int k = 0; k < 2000; ++k) {  // next to multiples of pi/2, where the reduction cancels
        double multiple = std::floor(s.uniform() * limit / 1.5708) * 1.5707963267948966;
        s.around(std::min(multiple, limit * 0.999), 3);
    }
    s.points.push_back(static_cast<Real>(limit));
    s.points.push_back(static_cast<Real>(-limit));
}

TYPED_TEST(Accuracy, Sin) {
    sample_angles(this->sample_, this->kF64 ? 0x1p25 : 0x1p15, this->kLeast);
    expect_close(sin, std::sin, this->sample_.points, 2);
    expect_symmetric<TypeParam>(sin, this->sample_.points, -1);
}

TYPED_TEST(Accuracy, Cos) {
    sample_angles(this->sample_, this->kF64 ? 0x1p25 : 0x1p15, this->kLeast);
    expect_close(cos, std::cos, this->sample_.points, 2);
    expect_symmetric<TypeParam>(cos, this->sample_.points, 1);
}

TYPED_TEST(Accuracy, Tan) {
    sample_angles(this->sample_, this->kF64 ? 0x1p25 : 0x1p15, this->kLeast);
    expect_close(tan, std::tan, this->sample_.points, 2);
    expect_symmetric<TypeParam>(tan, this->sample_.points, -1);
}

template <class Real>
void expect_close(const Code& code, Value result, const Points<Real>& x, const Points<Real>& y,
                  const std::function<long double(long double, long double)>& reference, double bound) {
    auto values = evaluate_points(code, result, x, y);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double distance = ulps(values[i], reference(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
        if (distance > worst) {
            worst = distance;
            at = i;
        }
    }
    EXPECT_LE(worst, bound) << std::hexfloat << "f(" << x[at] << ", " << y[at] << ") = " << values[at];
}

TYPED_TEST(Accuracy, Atan2) {
    Sampler<TypeParam> x, y;
    x.even(-3, 3, 400000);
    y.points = x.points;
    std::shuffle(y.points.begin(), y.points.end(), std::mt19937(1));
    for (int i = 0; i < 300000; ++i) {  // every direction
        const double angle = 6.2831853 * x.uniform();
        x.points.push_back(static_cast<TypeParam>(std::cos(angle)));
        y.points.push_back(static_cast<TypeParam>(std::sin(angle)));
    }
    x.magnitudes(this->kLeast, this->kMost, true, 300000);
    y.magnitudes(this->kLeast / 2, this->kMost / 2, true, 300000);
    Builder b(this->kF64);
    Value result = atan2(b, b.load(1), b.load(0));
    ASSERT_GE(x.points.size(), 1000000u);
    expect_close<TypeParam>(
        b.code(), result, x.points, y.points, [](long double u, long double v) { return std::atan2(v, u); }, 2);
}

// Points whose power lies in the range of the format, and a little beyond.
template <class Real>
void sample_powers(Sampler<Real>& x, Points<Real>& y, double most) {
    x.magnitudes(-most, most, false, 200000);
    x.even(0.5, 2, 300000);
    for (int i = 0; i < 200000; ++i) x.points.push_back(static_cast<Real>(1 + (x.uniform() - 0.5) * std::exp2(-30 * x.uniform())));
    const auto exponents = x.points.size();
    for (std::size_t i = 0; i < exponents; ++i) {
        double length = std::log2(static_cast<double>(x.points[i]));
        y.push_back(static_cast<Real>(length == 0 ? 3 : (2 * x.uniform() - 1) * 1.02 * most / length));
    }
    x.even(0, 10, 300000);
    for (int i = 0; i < 300000; ++i) y.push_back(static_cast<Real>(20 * x.uniform() - 10));
    for (auto& exponent : y) {
        if (std::fabs(exponent) < std::numeric_limits<Real>::min()) exponent = 1;
    }
}

TYPED_TEST(Accuracy, Pow) {
    Points<TypeParam> y;
    sample_powers(this->sample_, y, this->kMost - 2);
    Builder b(this->kF64);
    Value result = pow(b, b.load(0), b.load(1));
    ASSERT_GE(y.size(), 1000000u);
    expect_close<TypeParam>(
        b.code(), result, this->sample_.points, y, [](long double u, long double v) { return std::pow(u, v); }, 2);
}

TYPED_TEST(Accuracy, PowOfNegativeNumbersToIntegers) {
    Sampler<TypeParam> x;
    Points<TypeParam> y;
    x.even(-8, 0, 200000);
    for (int i = 0; i < 200000; ++i) y.push_back(static_cast<TypeParam>(std::floor(61 * x.uniform()) - 30));
    Builder b(this->kF64);
    Value result = pow(b, b.load(0), b.load(1));
    expect_close<TypeParam>(
        b.code(), result, x.points, y, [](long double u, long double v) { return std::pow(u, v); }, 2);
}

TYPED_TEST(Accuracy, PowWithALiteralExponent) {
    Sampler<TypeParam> x;
    x.even(0, 10, 100000);
    x.even(-10, 0, 20000);
    for (double exponent : {2.5, -0.3, 1.0 / 3, 17.0, 18.0, -21.0, 100.25}) {
        Builder b(this->kF64);
        Value result = pow(b, b.load(0), b.literal(exponent));
        const auto used = static_cast<long double>(static_cast<TypeParam>(exponent));
        expect_close<TypeParam>(
            b.code(), result, x.points, x.points, [used](long double u, long double) { return std::pow(u, used); }, 2);
    }
}

TYPED_TEST(Accuracy, PowOfALiteral) {
    Sampler<TypeParam> y;
    y.even(-20, 20, 100000);
    y.magnitudes(-20, 8, true, 50000);
    for (double base : {2.0, 10.0, 0.1, 1.7, 2.718281828459045, 1.0009765625, 1e30}) {
        Builder b(this->kF64);
        Value result = pow(b, b.literal(base), b.load(1));
        const auto used = static_cast<long double>(static_cast<TypeParam>(base));
        expect_close<TypeParam>(
            b.code(), result, y.points, y.points, [used](long double, long double v) { return std::pow(used, v); }, 2);
    }
}

}  // namespace functions_accuracy_test
}  // namespace mottle::ir
