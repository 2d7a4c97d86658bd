// tests/physics/front_test.cpp: travelling fronts against exact solutions
#include "oracle/started_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace oracle {
namespace front_test {

/// The front of Ablowitz and Zeppetella, u = (1 + exp(x/sqrt(6) - 5t/6))^-2, an exact solution of the Fisher equation with D = r = 1.
double exact_fisher(double x, double t) { return std::pow(1 + std::exp(x / std::sqrt(6.0) - 5 * t / 6), -2); }

/// Largest error at T = 10 on [-20, 60].
double fisher_error(double h) {
    const double dt = 0.2 * h * h;
    const int cells = static_cast<int>(std::lround(80 / h)), steps = static_cast<int>(std::lround(10 / dt));
    const std::string text =
        "[equations]\nu = \"lap(u) + u*(1 - u)\"\n[initial]\nu = \"(1 + exp((x - 20)/sqrt(6)))^-2\"\n"
        "[boundary]\nleft = \"value((1 + exp(-20/sqrt(6) - 5*t/6))^-2)\"\nright = \"value((1 + exp(60/sqrt(6) - 5*t/6))^-2)\"\n";
    char settings[256];
    std::snprintf(settings, sizeof settings, "size = \"%dx1\"\nspacing = %.17g\ndt = %.17g\n", cells, h, dt);
    const Outcome outcome = run_mottle(text, "", settings, steps);
    double error = 0;
    for (int i = 0; i < cells; ++i)
        error = std::max(error, std::abs(outcome.end[0][static_cast<std::size_t>(i)] - exact_fisher((i + 0.5) * h - 20, 10)));
    return error;
}

TEST(Fronts, AblowitzZeppetellaConvergesWithSecondOrder) {
    const double coarse = fisher_error(0.2), middle = fisher_error(0.1), fine = fisher_error(0.05);
    // The reference errors of these three grids.
    EXPECT_NEAR(coarse, 1.05e-2, 0.02 * 1.05e-2);
    EXPECT_NEAR(middle, 2.62e-3, 0.02 * 2.62e-3);
    EXPECT_NEAR(fine, 6.57e-4, 0.02 * 6.57e-4);
    EXPECT_NEAR(std::log2(coarse / middle), 2, 0.05);
    EXPECT_NEAR(std::log2(middle / fine), 2, 0.05);
}

/// Where a falling front crosses 1/2, by linear interpolation.
double crossing(const Cells& cells, double h) {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
        if (cells[i] >= 0.5 && cells[i + 1] < 0.5) return (static_cast<double>(i) + 0.5 + (cells[i] - 0.5) / (cells[i] - cells[i + 1])) * h;
    }
    ADD_FAILURE() << "no front";
    return 0;
}

/// Speed of the bistable front of u(1 - u)(u - alpha), measured from t = 20 to t = 40.
double bistable_speed(double alpha, double h) {
    const double dt = 0.2 * h * h;
    char text[512], settings[256];
    std::snprintf(text, sizeof text,
                  "[equations]\nu = \"lap(u) + u*(1 - u)*(u - %.17g)\"\n[initial]\nu = \"1/(1 + exp((x - 20)/sqrt(2)))\"\n", alpha);
    std::snprintf(settings, sizeof settings, "size = \"%dx1\"\nspacing = %.17g\ndt = %.17g\nboundary = \"no-flux\"\n",
                  static_cast<int>(std::lround(64 / h)), h, dt);
    const int half = static_cast<int>(std::lround(20 / dt));
    const double early = crossing(run_mottle(text, "", settings, half).end[0], h);
    const double late = crossing(run_mottle(text, "", settings, 2 * half).end[0], h);
    return (late - early) / (half * dt);
}

TEST(Fronts, BistableFrontsHaveTheExactSpeed) {
    for (double alpha : {0.1, 0.3}) {
        SCOPED_TRACE(alpha);
        const double exact = std::sqrt(0.5) * (1 - 2 * alpha);
        const double coarse = bistable_speed(alpha, 0.4) - exact, fine = bistable_speed(alpha, 0.2) - exact;
        EXPECT_LT(std::abs(fine), 4e-3 * exact);
        EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
    }
}

// Into land where nothing lives, cells of side 1, the front of u(1 - u) runs at the least (2 cosh l - 1)/l, from which it is 3/(2 l t) away at time t (Bramson 1983). Nobody says how: the
// longest steps of Euler's method would make it a quarter slower.
TEST(Fronts, InvadeEmptyLandAtTheSpeedOfTheGridByThemselves) {
    double speed = INFINITY, slope = 0;
    for (double l = 0.5; l < 1.5; l += 1e-4) {
        const double here = (2 * std::cosh(l) - 1) / l;
        if (here < speed) speed = here, slope = l;
    }
    const auto reach = [](double time) {
        StartedRun run(
            "[equations]\nu = \"lap(u) + u*(1 - u)\"\n[initial]\nu = \"where(X < 0.05, 1, 0)\"\n[fields]\nu = { range = [0, 1] }\n",
            "size = \"600x1\"\nboundary = \"no-flux\"\nprecision = \"f64\"\ntime = " + std::to_string(time) + "\n");
        run->run_to_end();
        return crossing(run.fields()[0], 1);
    };
    const double expected = speed - 1.5 / slope * std::log(2.0) / 100;
    EXPECT_NEAR((reach(200) - reach(100)) / 100 / expected, 1, 0.01);
}

TEST(Fronts, AFrontBetweenEqualPhasesStandsStill) { EXPECT_NEAR(bistable_speed(0.5, 0.4), 0, 1e-10); }

}  // namespace front_test
}  // namespace oracle
