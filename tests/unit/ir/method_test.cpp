// tests/unit/ir/method_test.cpp: the tables of the methods against the conditions of their orders, and how long a step may be
#include "mottle/ir/method.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace mottle;
using Complex = std::complex<double>;

const ir::RungeKutta& table(const char* name) { return *ir::find_scheme(name)->table(); }
ir::StabilityPolynomial method(std::string_view name) { return ir::StabilityPolynomial({std::string(name)}); }

std::vector<ir::Scheme> tables() {
    std::vector<ir::Scheme> found;
    for (const ir::Scheme& scheme : ir::schemes()) {
        if (scheme.table()) found.push_back(scheme);
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

}  // namespace
