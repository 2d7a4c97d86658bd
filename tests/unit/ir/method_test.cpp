// tests/unit/ir/method_test.cpp: the tables of the methods against the conditions of their orders, and how long a step may be
#include "mottle/ir/method.h"

#include "mottle/core/error.h"
#include "mottle/ir/euler_lengths.h"
#include "mottle/ir/stable_polynomial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace method_test {

using namespace mottle;
using Complex = std::complex<double>;

const ir::RungeKutta& table(const char* name) { return *ir::find_scheme(name)->table(); }
ir::StabilityPolynomial method(std::string_view name) { return ir::StabilityPolynomial({std::string(name)}); }

std::vector<ir::Scheme> tables() {
    std::vector<ir::Scheme> found;
    for (const ir::Scheme& scheme : ir::schemes()) {
        if (scheme.table() && !scheme.splits()) found.push_back(scheme);
    }
    return found;
}

TEST(Method, Names) {
    EXPECT_EQ(ir::schemes().front().name, ir::Method{}.name);
    EXPECT_EQ(ir::find_scheme("rk5"), nullptr);
    EXPECT_EQ(tables().size(), 4u);
    for (const ir::Scheme& each : tables()) EXPECT_EQ(each.table()->reach.size() + 1, each.table()->weights.size()) << each.name;
}

// Sums over weights b and times c: b = 1, b c = 1/2, b c^2 = 1/3, b_i a_ij c_j = 1/6, ... (Butcher 1963).
TEST(Method, ConditionsOfOrder) {
    const std::pair<const char*, int> orders[] = {{"euler", 1}, {"midpoint", 2}, {"heun", 2}, {"rk4", 4}};
    for (const auto& [name, order] : orders) {
        const ir::RungeKutta& m = table(name);
        double one = 0, c1 = 0, c2 = 0, c3 = 0, ac = 0, cac = 0, ac2 = 0, aac = 0;
        for (std::size_t i = 0; i < m.weights.size(); ++i) {
            const double b = m.weights[i], a = i > 0 ? m.reach[i - 1] : 0, c = a, before = i > 1 ? m.reach[i - 2] : 0;
            const double far = i > 2 ? m.reach[i - 3] : 0;
            one += b, c1 += b * c, c2 += b * c * c, c3 += b * c * c * c;
            ac += b * a * before, cac += b * c * a * before, ac2 += b * a * before * before, aac += b * a * before * far;
        }
        EXPECT_NEAR(one, 1, 1e-15) << name;
        EXPECT_NEAR(c1, order >= 2 ? 1.0 / 2 : 0, 1e-15) << name;
        if (order < 4) continue;
        EXPECT_NEAR(c2, 1.0 / 3, 1e-15);
        EXPECT_NEAR(ac, 1.0 / 6, 1e-15);
        EXPECT_NEAR(c3, 1.0 / 4, 1e-15);
        EXPECT_NEAR(cac, 1.0 / 8, 1e-15);
        EXPECT_NEAR(ac2, 1.0 / 12, 1e-15);
        EXPECT_NEAR(aac, 1.0 / 24, 1e-15);
    }
}

TEST(Method, GrowthIsTheExponentialUpToTheOrder) {
    for (const Complex z : {Complex(-0.7, 0.3), Complex(0.2, -1.1)}) {
        const Complex second = 1.0 + z + z * z / 2.0, fourth = second + z * z * z / 6.0 + z * z * z * z / 24.0;
        EXPECT_LT(std::abs(method("euler")(z) - (1.0 + z)), 1e-15);
        EXPECT_LT(std::abs(method("midpoint")(z) - second), 1e-15);
        EXPECT_LT(std::abs(method("heun")(z) - second), 1e-15);
        EXPECT_LT(std::abs(method("rk4")(z) - fourth), 1e-15);
    }
}

// The recursion of a step, run until its variance stands still: y' = -y + noise, of variance 1 in continuous time (2 on each unit of time).
TEST(Method, NoiseShareIsThatOfTheRecursion) {
    for (const ir::Scheme& each : tables()) {
        for (const double dt : {0.01, 0.4, 1.0, 1.9}) {
            // a step is linear in y and in the rate w that noise adds: from y = 1, w = 0 and from y = 0, w = 1
            const auto step = [&](double y, double w) {
                double stage = y, end = y;
                for (std::size_t i = 0; i < each.table()->weights.size(); ++i) {
                    const double rate = -stage + w;
                    end += each.table()->weights[i] * dt * rate;
                    if (i < each.table()->reach.size()) stage = y + each.table()->reach[i] * dt * rate;
                }
                return end;
            };
            const double kept = step(1, 0), added = step(0, 1);
            double variance = 0;
            for (int n = 0; n < 10000; ++n) variance = kept * kept * variance + added * added * 2 / dt;
            EXPECT_NEAR(method(each.name).noise_share(dt), variance, 1e-9 * variance) << each.name << " " << dt;
        }
    }
    EXPECT_NEAR(method("euler").noise_share(1.8), 10, 1e-12) << "2/(2 - rate)";
}

TEST(Method, LongestStep) {
    EXPECT_EQ(method("euler").longest_step(4), 0.5);
    EXPECT_EQ(method("euler").longest_step(1.6), 1.25) << "0.9 of it are four digits, rounded down";
    EXPECT_EQ(method("euler").longest_step({1, 1}), 1) << "2 Re/|.|^2";
    for (const char* name : {"midpoint", "heun"}) EXPECT_NEAR(method(name).longest_step(4), 0.5, 1e-14) << name;
    // the real root of 1 + z/2 + z^2/6 + z^3/24, and 2 sqrt 2 along the imaginary axis
    EXPECT_NEAR(method("rk4").longest_step(1), 2.785293563405282, 1e-12);
    EXPECT_NEAR(method("rk4").longest_step({0, 0.5}), 2 * std::sqrt(8.0), 1e-12);
    EXPECT_EQ(method("rk4").longest_step(0), INFINITY);
    // no step up to the longest makes a wave grow, a longer one does
    for (const Complex rate : {Complex(3, 1), Complex(0.4, 2), Complex(0.01, 1)}) {
        for (const ir::Scheme& each : tables()) {
            const double most = method(each.name).longest_step(rate);
            for (int k = 1; k < 100; ++k) EXPECT_LE(std::abs(method(each.name)(-rate * (most * k / 100))), 1 + 1e-12) << each.name << k;
            EXPECT_GT(std::abs(method(each.name)(-rate * (most * 1.001))), 1) << each.name;
        }
    }
}

/// P_s(x), by the recursion of textbooks.
Complex legendre(int s, Complex x) {
    Complex before = 1, now = x;
    for (int j = 2; j <= s; ++j) {
        const Complex next = ((2.0 * j - 1) * x * now - (j - 1.0) * before) / static_cast<double>(j);
        before = now;
        now = next;
    }
    return now;
}

ir::StabilityPolynomial staged(const char* name, int stages) { return ir::StabilityPolynomial({name, false, stages}); }

// Meyer, Balsara & Aslam 2014: P_s(1 + 2 z/(s^2 + s)) and a + b P_s(1 + 4 z/(s^2 + s - 2)), on the interval from -(s^2 + s) or -(s^2 + s - 2)/2 to 0.
TEST(Legendre, PolynomialsAreThoseOfTheArticle) {
    for (int s = 2; s <= 300; ++s) {
        const double first = s * s + s, second = (s * s + s - 2) / 2.0, b = second / (s * (s + 1.0));
        const ir::StabilityPolynomial one = staged("rkl1", s), two = staged("rkl2", s);
        for (const double share : {0.001, 0.1, 0.37, 0.5, 0.81, 0.99, 1.0}) {
            const double z1 = -share * first, z2 = -share * second;
            EXPECT_LT(std::abs(one(z1) - legendre(s, 1 + 2 * z1 / first)), 1e-10) << s;
            EXPECT_LT(std::abs(two(z2) - (1 - b + b * legendre(s, 1 + 2 * z2 / second))), 1e-10) << s;
            EXPECT_LE(std::abs(one(z1)), 1 + 1e-10) << s;
            EXPECT_LE(std::abs(two(z2)), 1 + 1e-10) << s;
        }
        EXPECT_EQ(one.longest_step(1), first);
        EXPECT_EQ(two.longest_step(1), second);
        EXPECT_EQ(one.longest_step(4), first / 4);
        EXPECT_GT(std::abs(one(-1.01 * first)), 1) << s;
        if (s % 2 == 0) {
            EXPECT_GT(std::abs(two(-1.01 * second)), 1) << "of odd s the interval is somewhat longer";
        }
        const Complex turning(-0.4, 0.3);
        EXPECT_LT(std::abs(two(turning) - (1 - b + b * legendre(s, 1.0 + turning / second * 2.0))), 1e-10) << s;
    }
}

// The conditions of orders 1 and 2 by the weights of the stages themselves: sum b = 1 and sum b c = 1/2 with c_j = sum a_ji, whatever the rates.
TEST(Legendre, ConditionsOfOrder) {
    for (const auto& [order, factored] : {std::pair(1, false), std::pair(2, false), std::pair(1, true), std::pair(2, true)}) {
        for (int s = order; s <= 60; ++s) {
            const ir::LegendreStep step = ir::legendre_step({order, factored}, s);
            ASSERT_EQ(step.stages.size(), static_cast<std::size_t>(s));
            // a[j][i]: how much of dt k_i is in y_j
            std::vector<std::vector<double>> a(static_cast<std::size_t>(s) + 1, std::vector<double>(static_cast<std::size_t>(s)));
            std::vector<double> d(static_cast<std::size_t>(s));
            for (std::size_t j = 0; j < step.stages.size(); ++j) {
                for (double& part : d) part *= step.stages[j].momentum;
                d[j] += step.stages[j].share;
                for (std::size_t i = 0; i < d.size(); ++i) a[j + 1][i] = a[j][i] + d[i];
            }
            double sum = 0, moment = 0;
            for (std::size_t i = 0; i < step.stages.size(); ++i) {
                double c = 0;
                for (const double part : a[i]) c += part;
                EXPECT_NEAR(step.stages[i].begin, c, 1e-12) << "stage " << i << " of " << s;
                sum += step.weight * a.back()[i];
                moment += step.weight * a.back()[i] * c;
            }
            EXPECT_NEAR(sum, 1, 1e-12) << order << " " << s;
            if (order == 2) {
                EXPECT_NEAR(moment, 0.5, 1e-11) << s;
            }
        }
    }
}

// Order 1, and order 2 of few stages: the product of the steps of Euler's method is Legendre's polynomial, whose zeros their lengths are.
TEST(EulerLengths, ProductIsLegendresPolynomial) {
    EXPECT_EQ(ir::euler_lengths(1, 1).lengths, std::vector<double>{1});
    for (int s = 2; s <= ir::kMostLengths; s = s < 20 ? s + 1 : s + 9) {
        for (const int order : {1, 2}) {
            if (order == 2 && s > 4) continue;
            const ir::EulerLengths& found = ir::euler_lengths(order, s);
            ASSERT_EQ(found.lengths.size(), static_cast<std::size_t>(s));
            const double interval = ir::euler_lengths_interval(order, s);
            EXPECT_EQ(interval, order == 1 ? s * s + s : (s * s + s - 2) / 2.0);
            for (const double share : {0.001, 0.1, 0.38, 0.65, 1.0}) {
                double product = 1;
                for (const double length : found.lengths) product *= 1 - share * interval * length;
                EXPECT_NEAR(product, legendre(s, 1 - 2 * share).real(), 1e-9) << s << " " << share;
            }
        }
    }
    for (const auto& [order, stages] :
         {std::pair(1, 0), std::pair(2, 1), std::pair(1, ir::kMostLengths + 1), std::pair(3, 5), std::pair(0, 5)})
        EXPECT_THROW(ir::euler_lengths(order, stages), core::InternalError);
}

// Order 2: no wave grows on the interval that is promised, what is stiff decays by a tenth in each step or more, and a little beyond the most that any polynomial could bear some wave grows.
TEST(EulerLengths, PolynomialsOfOrderTwoAreBoundedNearlyAsFarAsAnyCanBe) {
    for (int s = 5; s <= ir::kMostLengths; s = s < 20 ? s + 1 : s + 9) {
        const ir::StabilityPolynomial polynomial = staged("sts2", s);
        const double interval = ir::euler_lengths_interval(2, s);
        EXPECT_GT(interval, 0.7 * s * s);
        EXPECT_EQ(polynomial.longest_step(1), interval);
        for (int k = 1; k <= 2000; ++k) {
            const double factor = std::abs(polynomial(-interval * k / 2000));
            EXPECT_LT(factor, k > 400 ? 0.9 : 1) << s << " " << k;
        }
        double most = 0;
        for (int k = 0; k < 100; ++k) most = std::max(most, std::abs(polynomial(-(0.76 + 0.0007 * k) * s * s)));
        EXPECT_GT(most, 1) << s;
    }
}

// The part that Abdulle and Medovikov tabulate: R(0) = R'(0) = R''(0) = 1, by differences of the product of its factors.
TEST(EulerLengths, StablePolynomialsAreOfSecondOrder) {
    for (const int s : {5, 6, 17, 40, 101}) {
        const ir::StablePolynomial found = ir::stable_polynomial(s);
        ASSERT_EQ(found.zeros.size(), static_cast<std::size_t>(s));
        const auto value = [&](double z) {
            double product = 1;
            for (const double zero : found.zeros) product *= 1 + z / (found.slope * zero);
            return found.level + (1 - found.level) * product;
        };
        const double h = 1e-3;
        EXPECT_EQ(value(0), 1);
        EXPECT_NEAR((value(h) - value(-h)) / (2 * h), 1, 1e-6) << s;
        EXPECT_NEAR((value(h) - 2 * value(0) + value(-h)) / (h * h), 1, 1e-6) << s;
    }
}

// Sampled everywhere, not only between the zeros, where the order was sought: what the states of a step become on the way, and by how much rounding grows behind it.
TEST(EulerLengths, OrderKeepsStatesAndRoundingSmall) {
    for (const int order : {1, 2}) {
        for (int s = 2; s <= ir::kMostLengths; s = s < 64 ? s + 1 : s + 8) {
            std::vector<double> lengths = ir::euler_lengths(order, s).lengths;
            const double interval = ir::euler_lengths_interval(order, s);
            const auto largest = [&](const std::vector<double>& in_order) {
                double most = 1;
                for (int k = 0; k <= 2000; ++k) {
                    double product = 1;
                    for (const double length : in_order) {
                        product *= 1 - interval * k / 2000 * length;
                        most = std::max(most, std::abs(product));
                    }
                }
                return most;
            };
            EXPECT_LE(largest(lengths), 5) << order << " " << s;
            std::reverse(lengths.begin(), lengths.end());
            EXPECT_LE(largest(lengths), 40.0 * s * s) << order << " " << s;
            std::sort(lengths.begin(), lengths.end(), std::greater<>());
            if (s == 50) {
                EXPECT_GT(largest(lengths), 1e9) << "the order counts";
            }
        }
    }
}

// sum b c^2 is 1/3 in the third order: no step of second order is far from it, which an order of the lengths could be (0.6).
TEST(EulerLengths, ThirdOrderIsNearlyMet) {
    for (int s = 5; s <= ir::kMostLengths; ++s) {
        const ir::LegendreStep step = ir::legendre_step({2, true}, s);
        double sum = 0;
        for (const ir::LegendreStep::Stage& stage : step.stages) sum += step.weight * stage.share * stage.begin * stage.begin;
        EXPECT_NEAR(sum, 1.0 / 3, 0.06) << s;
    }
}

// Beside the real axis nothing is published: the end that is found is one, and nothing grows before it.
TEST(Legendre, LongestStepOfWavesThatTurn) {
    for (const char* name : {"rkl1", "rkl2"}) {
        for (const int s : {3, 8, 25}) {
            const ir::StabilityPolynomial polynomial = staged(name, s);
            for (const Complex rate : {Complex(1, 0.05), Complex(1, 0.3), Complex(0.2, 1)}) {
                const double most = polynomial.longest_step(rate);
                EXPECT_GT(most, 0);
                for (int k = 1; k < 400; ++k) EXPECT_LE(std::abs(polynomial(-rate * (most * k / 400))), 1 + 1e-9) << name << s << rate;
                EXPECT_GT(std::abs(polynomial(-rate * (most * 1.0001))), 1) << name << s << rate;
            }
            EXPECT_GT(std::abs(polynomial({0, 0.125})), 1) << "what only turns grows";
        }
    }
}

TEST(Legendre, StagesAreChosenWithinTheMethod) {
    EXPECT_THROW(ir::stages_of({"rkl1"}), core::InternalError) << "not chosen yet";
    EXPECT_THROW(ir::stages_of({"rkl2", false, 1}), core::InternalError);
    EXPECT_THROW(ir::stages_of({"rkl2", false, ir::kMostStages + 1}), core::InternalError);
    EXPECT_EQ(ir::stages_of({"rkl1", false, 1}), 1);
    EXPECT_EQ(ir::stages_of({"sts2", false, ir::kMostLengths}), ir::kMostLengths);
    EXPECT_THROW(ir::stages_of({"sts1", false, ir::kMostLengths + 1}), core::InternalError);
    EXPECT_EQ(ir::stages_of({"rk4"}), 4);
    EXPECT_EQ(ir::kernel_steps_of({"rk4"}), 1);
    EXPECT_EQ(ir::kernel_steps_of({"rkl2", false, 9}), 9);
    EXPECT_THROW(ir::scheme_of({"rk5"}), core::InternalError);
}

}  // namespace method_test
