// tests/physics/gray_scott_test.cpp: budgets, the exact pulse and reference states of the Gray-Scott model
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numeric>

namespace oracle {
namespace gray_scott_test {

double mean(const Cells& cells) { return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size()); }

/// In one step the mean of u + v changes by dt [F (1 - <u>) - (F + k) <v>]: diffusion and the reaction u v^2 cancel.
TEST(GrayScott, TheBudgetOfUPlusVCloses) {
    for (const char* boundary : {"periodic", "no-flux"}) {
        for (const char* stencil : {"5", "9"}) {
            SCOPED_TRACE(std::string(boundary) + " " + stencil);
            const Outcome outcome =
                run_mottle("library:gray-scott", "gamma",
                           "size = \"53x38\"\ninitial = { u = \"noise(0.3, 1)\", v = \"noise(0, 0.5)\" }\nboundary = \"" +
                               std::string(boundary) + "\"\nstencil = " + stencil + "\n",
                           1);
            const double before = mean(outcome.start[0]) + mean(outcome.start[1]), after = mean(outcome.end[0]) + mean(outcome.end[1]);
            const double expected = 0.022 * (1 - mean(outcome.start[0])) - (0.022 + 0.051) * mean(outcome.start[1]);
            EXPECT_GT(std::abs(expected), 1e-3);
            EXPECT_NEAR(after - before, expected, 1e-14);
        }
    }
}

/// The exact standing pulse for Du/Dv = F/(F + k).
struct Pulse {
    double F = 0.05, k = 0.03, Dv = 1e-5;
    double B = F + k, gamma = B / F, Du = Dv * F / B, Q = std::sqrt(1 - 4.5 * B * gamma);
    double v(double x) const { return 3 * B / (1 + Q * std::cosh(x * std::sqrt(B / Dv))); }
    double u(double x) const { return 1 - gamma * v(x); }
};

/// Largest rate of change of the discrete pulse: what is left of a solution that stands still in the continuum.
double pulse_rate(int cells, Outcome& outcome) {
    const Pulse pulse;
    const double h = 0.4 / cells, dt = 0.1 * h * h / pulse.Dv;
    char text[1024], settings[256];
    std::snprintf(text, sizeof text,
                  "[equations]\nu = \"Du*lap(u) - u*v^2 + F*(1 - u)\"\nv = \"Dv*lap(v) + u*v^2 - (F + k)*v\"\n"
                  "[parameters]\nF = 0.05\nk = 0.03\nDv = 1e-5\nDu = %.17g\n[define]\nB = \"(F + k)\"\nQ = \"sqrt(1 - 4.5*B*B/F)\"\ns = "
                  "\"((x - 0.2)*sqrt(B/Dv))\"\n"
                  "pulse = \"(3*B/(1 + Q*0.5*(exp(s) + exp(-s))))\"\n[initial]\nu = \"1 - B/F*pulse\"\nv = \"pulse\"\n",
                  pulse.Du);
    std::snprintf(settings, sizeof settings, "size = \"%dx1\"\nspacing = %.17g\ndt = %.17g\nboundary = \"no-flux\"\n", cells, h, dt);
    outcome = run_mottle(text, "", settings, 1);
    double rate = 0;
    for (std::size_t field = 0; field < 2; ++field) {
        for (std::size_t c = 0; c < outcome.end[field].size(); ++c)
            rate = std::max(rate, std::abs(outcome.end[field][c] - outcome.start[field][c]) / dt);
    }
    return rate;
}

TEST(GrayScott, TheExactPulseStandsStillWithSecondOrder) {
    Outcome coarse, fine, finest;
    const double rates[] = {pulse_rate(101, coarse), pulse_rate(201, fine), pulse_rate(401, finest)};
    const Pulse pulse;
    // The peak sits in the middle cell.
    EXPECT_NEAR(pulse.v(0), .14535299, 5e-9);
    EXPECT_NEAR(pulse.u(0), .76743522, 5e-9);
    EXPECT_NEAR(finest.start[1][200], .14535299, 5e-9);
    EXPECT_NEAR(finest.start[0][200], .76743522, 5e-9);
    EXPECT_LT(rates[2], 1e-4);
    EXPECT_NEAR(std::log2(rates[0] / rates[1]), 2 * std::log2(201.0 / 101), 0.1);
    EXPECT_NEAR(std::log2(rates[1] / rates[2]), 2 * std::log2(401.0 / 201), 0.05);
}

const char* const kPearson =
    "[equations]\nu = \"2e-5*lap(u) - u*v^2 + F*(1 - u)\"\nv = \"1e-5*lap(v) + u*v^2 - (F + k)*v\"\n[parameters]\nF = 0.04\nk = 0.06\n"
    "[define]\nseed = \"box(118/256, 118/256, 138/256, 138/256)\"\n[initial]\nu = \"1 - 0.5*seed\"\nv = \"0.25*seed\"\n";
const char* const kPearsonGrid = "size = \"256x256\"\nspacing = 0.009765625\ndt = 1\n";

/// Pearson's start without noise; the numbers are of independent programs.
TEST(GrayScott, PearsonsStartReachesTheReferenceStates) {
    const Outcome early = run_mottle(kPearson, "", kPearsonGrid, 1000);
    EXPECT_EQ(std::accumulate(early.start[1].begin(), early.start[1].end(), 0.0), 0.25 * 20 * 20);
    EXPECT_EQ(early.start[1][118 * 256 + 137], 0.25);
    EXPECT_EQ(early.start[1][117 * 256 + 137], 0);
    EXPECT_NEAR(mean(early.end[0]), .968123053808, 1e-11);
    EXPECT_NEAR(mean(early.end[1]), .012964627231, 1e-11);
    EXPECT_NEAR(early.end[0][128 * 256 + 128], .689826047013, 1e-10);
    const Outcome late = run_mottle(kPearson, "", kPearsonGrid, 5000);
    EXPECT_NEAR(mean(late.end[0]), .605481422567, 1e-10);
    EXPECT_NEAR(mean(late.end[1]), .158348392185, 1e-10);
    EXPECT_NEAR(late.end[0][128 * 256 + 128], .755412538651, 1e-9);
}

TEST(GrayScott, SinglePrecisionFollowsTheReferenceStates) {
    const Outcome early = run_mottle(kPearson, "", kPearsonGrid, 1000, "auto", "f32");
    EXPECT_NEAR(mean(early.end[0]), .968123053808, 5e-6);
    EXPECT_NEAR(early.end[0][128 * 256 + 128], .689826047013, 2e-5);
    const Outcome late = run_mottle(kPearson, "", kPearsonGrid, 5000, "auto", "f32");
    EXPECT_NEAR(mean(late.end[0]), .605481422567, 2e-5);
    EXPECT_NEAR(mean(late.end[1]), .158348392185, 2e-5);
}

}  // namespace gray_scott_test
}  // namespace oracle
