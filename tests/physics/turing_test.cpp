// tests/physics/turing_test.cpp: growth rates of Turing modes: the dispersion relation, its published numbers, and what Mottle measures
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace oracle {
namespace turing_test {

const double kPi = std::acos(-1.0);

/// The linearisation at the rest state (u0, v0): u' = fu u + fv v + Du lap u, v' = gu u + gv v + Dv lap v.
struct Linear {
    double u0, v0, fu, fv, gu, gv, Du, Dv;

    /// The largest growth rate of a mode with lap = -q.
    double growth(double q) const {
        const double a = fu - Du * q, d = gv - Dv * q;
        const double half = 0.5 * (a + d), root = half * half - (a * d - fv * gu);
        return half + (root > 0 ? std::sqrt(root) : 0);
    }
    /// v over u in its eigenvector.
    double ratio(double q) const { return (growth(q) - (fu - Du * q)) / fv; }
    /// The q of fastest growth and its rate, by golden section.
    std::pair<double, double> fastest(double low, double high) const {
        for (int k = 0; k < 200; ++k) {
            const double a = low + 0.381966 * (high - low), b = low + 0.618034 * (high - low);
            (growth(a) < growth(b) ? low : high) = growth(a) < growth(b) ? a : b;
        }
        return {low, growth(low)};
    }
};

struct Case {
    const char* name;
    const char* equations;  // with parameters as numbers
    Linear linear;
    double q, sigma, band_low, band_high;  // published: fastest mode and its rate, unstable band (0: none given)
    double dt;
};

Linear schnakenberg(double a, double b, double d) {
    const double s = a + b;
    return {s, b / (s * s), (b - a) / s, s * s, -2 * b / s, -s * s, 1, d};
}
Linear brusselator(double A, double B, double Du, double Dv) { return {A, B / A, B - 1, A * A, -B, -A * A, Du, Dv}; }
Linear fitzhugh_nagumo(double eps, double a1, double Dv) { return {0, 0, 1, -1, eps, -eps * a1, 1, Dv}; }

const Case kCases[] = {
    {"Schnakenberg", "u = \"0.1 - u + u^2*v + lap(u)\"\nv = \"0.9 - u^2*v + 10*lap(v)\"\n", schnakenberg(.1, .9, 10), .318545, .05719096,
     .2, .5, .0005},
    {"Brusselator", "u = \"4.5 - 8.5*u + u^2*v + 2*lap(u)\"\nv = \"7.5*u - u^2*v + 16*lap(v)\"\n", brusselator(4.5, 7.5, 2, 16), .890283,
     .3623285, .399209, 1.585166, .0001},
    {"FitzHugh-Nagumo", "u = \"u - u^3 - v + lap(u)\"\nv = \"4*(u - 0.5*v) + 20*lap(v)\"\n", fitzhugh_nagumo(4, .5, 20), .336394, .2163924,
     0, 0, .0005},
};

/// The growth rate that Mottle shows for the mode cos(k x) with k = sqrt(q), on a row of 64 cells that holds one wave.
double measured(const Case& c, double q, double& of_the_grid) {
    constexpr int kCells = 64, kSteps = 1000;
    const double h = 2 * kPi / std::sqrt(q) / kCells;
    const double grid_q = (2 - 2 * std::cos(2 * kPi / kCells)) / (h * h);
    char text[1024];
    std::snprintf(text, sizeof text, "[equations]\n%s[initial]\nu = \"%.17g + 1e-6*cos(2*pi*X)\"\nv = \"%.17g + %.17g*cos(2*pi*X)\"\n",
                  c.equations, c.linear.u0, c.linear.v0, 1e-6 * c.linear.ratio(grid_q));
    char settings[256];
    std::snprintf(settings, sizeof settings, "size = \"%dx1\"\nspacing = %.17g\ndt = %.17g\n", kCells, h, c.dt);
    const Outcome outcome = run_mottle(text, "", settings, kSteps);
    auto amplitude = [&](const Cells& cells) {
        double sum = 0;
        for (int i = 0; i < kCells; ++i) sum += cells[static_cast<std::size_t>(i)] * std::cos(2 * kPi * (i + 0.5) / kCells);
        return sum;
    };
    of_the_grid = std::log1p(c.dt * c.linear.growth(grid_q)) / c.dt;
    return std::log(amplitude(outcome.end[0]) / amplitude(outcome.start[0])) / (kSteps * c.dt);
}

TEST(Turing, TheDispersionRelationHasThePublishedNumbers) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.name);
        const auto [q, sigma] = c.linear.fastest(0, 5);
        EXPECT_NEAR(q, c.q, 1e-5);
        EXPECT_NEAR(sigma, c.sigma, 1e-7);
        if (c.band_low > 0) {
            EXPECT_NEAR(c.linear.growth(c.band_low), 0, 1e-5);
            EXPECT_NEAR(c.linear.growth(c.band_high), 0, 1e-5);
        }
    }
    // The threshold of the ratio of the diffusions.
    EXPECT_LT(schnakenberg(.1, .9, 8.5676).fastest(0, 5).second, 0);
    EXPECT_GT(schnakenberg(.1, .9, 8.5677).fastest(0, 5).second, 0);
}

TEST(Turing, TheFastestModeGrowsAtItsRate) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.name);
        double of_the_grid = 0;
        const double rate = measured(c, c.q, of_the_grid);
        EXPECT_NEAR(rate, of_the_grid, 1e-5 * c.sigma);  // the grid's own rate, with the factor of Euler's method
        EXPECT_NEAR(rate, c.sigma, 1e-3 * c.sigma);      // the continuum's, at 64 cells to the wave
    }
}

TEST(Turing, ModesOutsideTheBandDecayAndInsideGrow) {
    for (const Case& c : kCases) {
        if (c.band_low == 0) continue;
        SCOPED_TRACE(c.name);
        for (double q : {0.95 * c.band_low, 1.05 * c.band_high}) {
            double of_the_grid = 0;
            const double rate = measured(c, q, of_the_grid);
            EXPECT_LT(rate, 0) << q;
            EXPECT_NEAR(rate, of_the_grid, 1e-5 * c.sigma) << q;
        }
        for (double q : {1.05 * c.band_low, 0.95 * c.band_high}) {
            double of_the_grid = 0;
            EXPECT_GT(measured(c, q, of_the_grid), 0) << q;
        }
    }
}

}  // namespace turing_test
}  // namespace oracle
