// tests/physics/wave_test.cpp: waves of second order in time, u' = w, w' = c^2 lap(u): the method and the step that Mottle takes by itself
#include "oracle/started_run.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace oracle {
namespace wave_test {

const std::string kWave = "[equations]\nu = \"w\"\nw = \"4*lap(u)\"\n[initial]\nu = \"cos(2*pi*X)*cos(4*pi*Y)\"\nw = 0\n";

// A standing wave cos(kx) cos(ly) cos(wt) solves the equations on the grid, with w^2 = 4 c^2 (sin^2(kh/2) + sin^2(lh/2))/h^2.
TEST(Wave, StandsAndKeepsItsFrequencyByItself) {
    constexpr int kSteps = 400;
    const Outcome outcome = run_mottle(kWave, "", "size = \"64x48\"\nspacing = 0.5\n", kSteps);
    const Grid& grid = outcome.grid;
    const double k = 2 * std::numbers::pi / grid.nx, l = 4 * std::numbers::pi / grid.ny;  // per cell
    const double frequency = 2 * 2 * std::sqrt(std::pow(std::sin(k / 2), 2) + std::pow(std::sin(l / 2), 2)) / 0.5;
    // all waves turn at up to 2 c sqrt(2)/h, and rk4 bears 2 sqrt(2)
    EXPECT_NEAR(outcome.dt, 0.9 * 0.5 / 2, 1e-3);
    const double now = std::cos(frequency * kSteps * outcome.dt);
    for (int j = 0; j < grid.ny; ++j) {
        for (int i = 0; i < grid.nx; ++i) {
            const double start = std::cos(k * (i + 0.5)) * std::cos(l * (j + 0.5));
            ASSERT_NEAR(outcome.end[0][static_cast<std::size_t>(j * grid.nx + i)], start * now, 2e-2);
        }
    }
    EXPECT_GT(std::abs(now), 0.1);
}

// Several such waves, the shortest of eight cells, have their own frequencies, and their phases are right at the end of a run of any length.
TEST(Wave, KeepsThePhaseToTheEndOfTheRun) {
    constexpr int kCells = 64;
    const int along_x[] = {2, 8, 4}, along_y[] = {1, 0, 3};
    const std::string model =
        "[equations]\nu = \"w\"\nw = \"lap(u)\"\n[initial]\nu = \"cos(4*pi*X)*cos(2*pi*Y) + cos(16*pi*X) + cos(8*pi*X)*cos(6*pi*Y)\"\nw = "
        "0\n";
    for (const double end : {50.0, 800.0}) {
        StartedRun run(model, "size = \"64x64\"\nprecision = \"f64\"\ntime = " + std::to_string(end) + "\n");
        run->run_to_end();
        const Fields fields = run.fields();
        double squares = 0, errors = 0;
        for (int j = 0; j < kCells; ++j) {
            for (int i = 0; i < kCells; ++i) {
                double exact = 0;
                for (int n = 0; n < 3; ++n) {
                    const double k = 2 * std::numbers::pi * along_x[n] / kCells, l = 2 * std::numbers::pi * along_y[n] / kCells;
                    const double frequency = 2 * std::sqrt(std::pow(std::sin(k / 2), 2) + std::pow(std::sin(l / 2), 2));
                    exact += std::cos(k * (i + 0.5)) * std::cos(l * (j + 0.5)) * std::cos(frequency * end);
                }
                squares += exact * exact;
                errors += std::pow(fields[0][static_cast<std::size_t>(j * kCells + i)] - exact, 2);
            }
        }
        EXPECT_LT(std::sqrt(errors / squares), 0.01) << end;
        EXPECT_GT(std::sqrt(errors / squares), 1e-5) << end << ": with steps far shorter than that asks for";
    }
}

TEST(Wave, AMethodThatIsGivenIsKeptAndRefused) {
    for (const char* method : {"euler", "midpoint", "heun"}) {
        try {
            run_mottle(kWave, "", std::string("size = \"16x16\"\nmethod = \"") + method + "\"\n", 10);
            FAIL() << method;
        } catch (const mottle::core::InputError& error) {
            EXPECT_NE(std::string(error.what()).find("--method rk4"), std::string::npos) << error.what();
        }
    }
}

// Damping gives Euler's steps a limit again: 2 Re/|mu|^2 of mu = g/2 +- i sqrt(s - g^2/4), s = 32 the stiffest.
TEST(Wave, DampedWavesHaveALimit) {
    const std::string damped = "[equations]\nu = \"w\"\nw = \"4*lap(u) - 0.5*w\"\n[initial]\nu = \"cos(2*pi*X)\"\nw = 0\n";
    EXPECT_NEAR(run_mottle(damped, "", "size = \"32x32\"\nmethod = \"euler\"\n", 100).dt, 0.9 * 0.5 / 32, 1e-4);
    // Where nobody names a method it is rk4, whose limit is 2 sqrt(2) / |mu| for waves that hardly decay, and four stages cost less than so many steps.
    EXPECT_NEAR(run_mottle(damped, "", "size = \"32x32\"\n", 100).dt, 0.9 * 2 * std::sqrt(2.0) / std::sqrt(32.0), 0.03);
}

}  // namespace wave_test
}  // namespace oracle
