// tests/physics/diffusion_test.cpp: eigenmodes of the grid decay at the rate of the grid, exactly
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace diffusion_test {

const double kPi = std::acos(-1.0);

/// cos(m pi x/Lx) cos(n pi y/Ly) between no-flux sides is an eigenmode: 5-point rate sum of (2 - 2 cos(k h))/h^2.
void expect_decay(int m, int n, const std::string& stencil, double rate_over_d, double tolerance) {
    SCOPED_TRACE("mode " + std::to_string(m) + ", " + std::to_string(n) + ", stencil " + stencil);
    constexpr int kSteps = 400;
    constexpr double kDt = 0.01, kD = 0.6;
    const std::string text = "[equations]\nu = \"D*lap(u)\"\n[parameters]\nD = 0.6\n[initial]\nu = \"cos(" + std::to_string(m) +
                             "*pi*X)*cos(" + std::to_string(n) + "*pi*Y)\"\n";
    const Outcome outcome =
        run_mottle(text, "", "size = \"48x31\"\nspacing = 0.25\ndt = 0.01\nboundary = \"no-flux\"\nstencil = " + stencil + "\n", kSteps);
    const double factor = std::pow(1 - kDt * kD * rate_over_d, kSteps);
    ASSERT_GT(factor, 1e-6);
    ASSERT_LT(factor, 0.99);
    for (std::size_t c = 0; c < outcome.end[0].size(); ++c)
        ASSERT_NEAR(outcome.end[0][c], factor * outcome.start[0][c], tolerance * factor) << c;
}

double line_rate(int m, int cells, double h) { return (2 - 2 * std::cos(m * kPi / cells)) / (h * h); }

TEST(Diffusion, EigenmodesOfTheFivePointStencilDecayByTheEulerFactor) {
    for (auto [m, n] : {std::pair{1, 0}, {0, 1}, {3, 2}, {5, 4}}) {
        expect_decay(m, n, "5", line_rate(m, 48, 0.25) + line_rate(n, 31, 0.25), 1e-11);
    }
}

TEST(Diffusion, EigenmodesOfTheNinePointStencilDecayByTheEulerFactor) {
    for (auto [m, n] : {std::pair{1, 0}, {0, 1}, {3, 2}, {5, 4}}) {
        const double a = std::cos(m * kPi / 48), b = std::cos(n * kPi / 31);
        expect_decay(m, n, "9", (20 - 8 * (a + b) - 4 * a * b) / (6 * 0.25 * 0.25), 1e-11);
    }
}

/// With the continuum rate instead of the grid's the error is of second order in h.
TEST(Diffusion, TheRateOfTheContinuumIsReachedWithSecondOrder) {
    auto error = [](int cells) {
        const double h = 1.0 / cells, dt = 0.1 * h * h;
        const int steps = 4 * cells * cells / 10;
        const std::string text = "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"cos(2*pi*X)*cos(pi*Y)\"\n";
        const std::string size = std::to_string(cells);
        // One of 17 digits: the step must fit the grid.
        char number[64];
        std::snprintf(number, sizeof number, "spacing = %.17g\ndt = %.17g\n", h, dt);
        const Outcome outcome = run_mottle(text, "", "size = \"" + size + "x" + size + "\"\nboundary = \"no-flux\"\n" + number, steps);
        const double exact = std::exp(-5 * kPi * kPi * steps * dt);
        return std::abs(outcome.end[0][0] / outcome.start[0][0] - exact) / exact;
    };
    const double coarse = error(16), fine = error(32);
    EXPECT_LT(coarse, 0.05);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

}  // namespace diffusion_test
}  // namespace oracle
