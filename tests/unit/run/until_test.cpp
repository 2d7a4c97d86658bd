// tests/unit/run/until_test.cpp: when a run is at rest, on the reference device
#include "unit/run/reference_bench.h"

#include <gtest/gtest.h>

#include <cmath>

namespace until_test {

using namespace mottle;
using core::Index;
using Bench = ReferenceBench;

stepper::Outcome until(Bench& bench, const std::string& text, const std::string& flags) {
    bench.observer.notices.clear();
    run::Simulation simulation(bench.spec(text, flags), bench.context);
    return simulation.run_to_end();
}

TEST(Until, APatternThatStandsStillIsPatterned) {
    Bench bench;
    // Swift-Hohenberg on one axis: stripes grow out of noise and settle.
    const stepper::Outcome outcome =
        until(bench,
              "equations.u = '0.3*u - u - 2*lap(u) - bilap(u) - u^3'\ninitial.u = 'noise(-0.01, 0.01)'\ngrid.size = '64x1'\ntime.dt = 0.05",
              "until = 'steady=1e-3'\nsteps = 400000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::patterned);
    EXPECT_EQ(outcome.at.step % stepper::kTestInterval, 0);
    EXPECT_GE(outcome.at.step, 3 * stepper::kTestInterval) << "three checks in a row";
}

// u' = r (f - u) from f/10: u = f (1 - 0.9 q^n) with q = 1 - r dt, and f has the mean 0. So the change per time is 0.9 r q^(n-1) of the deviation of f.
TEST(Until, TakesThreeChecksInARow) {
    Bench bench;
    const std::string text =
        "equations.u = 'r*(f - u)'\nparameters.r = 0.2\nparameters.f = 'cos(2*pi*X)'\ninitial.u = '0.1*f'\ngrid.size = '8x1'\ntime.dt = "
        "0.01\n";
    constexpr double r = 0.2, dt = 0.01, tolerance = 1e-3;
    const double q = 1 - r * dt;
    Index check = 1024;
    while (0.9 * r * std::pow(q, static_cast<double>(check - 1)) > tolerance * (1 - 0.9 * std::pow(q, static_cast<double>(check))))
        check += 1024;
    ASSERT_EQ(check, 3072);
    run::Simulation simulation(bench.spec(text, "steps = 20480\nuntil = 'steady=1e-3'"), bench.context);
    const stepper::Outcome outcome = simulation.run_to_end();
    EXPECT_EQ(outcome.verdict, stepper::Verdict::patterned);
    EXPECT_EQ(outcome.at.step, check + 2 * 1024);
}

TEST(Until, WhatFadesIsUniform) {
    Bench bench;
    const stepper::Outcome outcome =
        until(bench, "equations.u = 'lap(u) - 0.1*(u - 2)'\nfields.u.range = [0, 4]\ninitial.u = 'X'\ngrid.size = '8x8'\ntime.dt = 0.1",
              "until = 'steady=0.5'\nsteps = 100000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::uniform);
}

TEST(Until, WhatFadesFasterThanTheToleranceIsUniformOnceItHasFaded) {
    Bench bench;
    // The slowest wave decays at 2 per unit of time, always more than the tolerance, until rounding is all that is left, and that never rests (with this step).
    const stepper::Outcome outcome = until(
        bench, "equations.u = 'lap(u)'\ninitial.u = 'noise(0, 1)'\nmesh.shape = 'sphere:3'\nmethod.precision = 'f64'\ntime.dt = 0.005294",
        "until = 'steady=1e-3'\nsteps = 20000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::uniform);
}

/// The longest wave of 64 cells loses a thousandth of its height in a step; below a fifteen-thousandth of the mean f32 rounds that away.
constexpr const char* kSlowlyFlat = "equations.u = '0.1*lap(u)'\ninitial.u = '1 + 0.3*sin(2*pi*X)'\ngrid.size = '64x1'\ntime.dt = 1\n";

TEST(Until, WhatRoundingHoldsIsUniform) {
    Bench bench;
    for (const std::string precision : {"f32", "f64"}) {
        const stepper::Outcome outcome = until(bench, kSlowlyFlat, "until = 'steady=1e-4'\nsteps = 60000\nprecision = '" + precision + "'");
        EXPECT_EQ(outcome.verdict, stepper::Verdict::uniform) << precision;
    }
    run::Simulation held(bench.spec(kSlowlyFlat, "steps = 60000\nprecision = 'f32'"), bench.context);
    held.run_to_end();
    EXPECT_GT(held.field().statistics(0).std, 2e-6) << "this is what rounding holds";
}

TEST(Until, WhatRoundingHoldsFarFromFlatIsNotUniform) {
    Bench bench;
    // Nothing moves in f32: each step changes less than the last place, and no later one will. The wave has its height all the same.
    const stepper::Outcome outcome =
        until(bench, "equations.u = '1e-9*lap(u)'\ninitial.u = '1 + 0.3*sin(2*pi*X)'\ngrid.size = '64x1'\ntime.dt = 1",
              "until = 'steady=1e-4'\nsteps = 9000\nprecision = 'f32'");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::patterned);
    EXPECT_NE(bench.observer.notices.find("stands still by rounding, and --precision f64 would follow it"), std::string::npos);
}

TEST(Until, WhatTheRoundingOfManyStagesLeavesIsUniform) {
    Bench bench;
    constexpr const char* kFades = "equations.u = '100*lap(u) + 1 - u'\ninitial.u = 'noise(0, 1)'\ngrid.size = '64x64'\n";
    for (const char* dt : {"0.02", "0.1", "0.5", "3.5"}) {
        for (const std::string method : {"sts1", "sts2", "rkl2"}) {
            const stepper::Outcome outcome =
                until(bench, kFades, "until = 'steady=1e-4'\ntime = 2000\ndt = " + std::string(dt) + "\nmethod.name = '" + method + "'");
            EXPECT_EQ(outcome.verdict, stepper::Verdict::uniform) << method << ", dt " << dt;
        }
    }
    // The same rounding hides no change of the mean, and no wave that grows out of it: at first it has a thousandth of the height that it ends with.
    EXPECT_EQ(until(bench, "equations.u = '100*lap(u) + 1e-3'\ninitial.u = 'noise(0, 1)'\ngrid.size = '64x64'\n",
                    "until = 'steady=1e-4'\ntime = 2000\ndt = 0.5\nmethod.name = 'sts2'")
                  .verdict,
              stepper::Verdict::unsettled);
    constexpr const char* kGrows =
        "equations.u = '100*lap(u) + (u - mean(u))*(100*(2*pi/64)^2 + 0.03) - (u - mean(u))^3'\n"
        "initial.u = '1 + 1e-2*noise(-1, 1)'\ngrid.size = '64x64'\n";
    EXPECT_EQ(until(bench, kGrows, "until = 'steady=1e-4'\ntime = 2000\ndt = 0.5\nmethod.name = 'sts2'").verdict,
              stepper::Verdict::patterned);
}

TEST(Until, SlowIsNotSteadyBeforeItHasGrownOrFaded) {
    Bench bench;
    // Changes by 1e-9 of itself per unit of time, but neither doubles nor fades.
    const stepper::Outcome outcome =
        until(bench, "equations.u = '1e-9*u'\ninitial.u = 'X'\ngrid.size = '8x8'\ntime.dt = 0.1", "until = 'steady=1e-3'\nsteps = 9000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::unsettled);
}

// A start with more of a pattern than the state at rest, which is r/s in each place but for diffusion: never twice as far, never faded.
TEST(Until, WhatStandsStillToTheLastBitIsAtRest) {
    Bench bench;
    const std::string model =
        "equations.u = 'r*u - u^2'\nparameters.r = '1 + 0.1*sin(2*pi*X)'\ninitial.u = '1 + 0.5*sin(2*pi*X)'\n"
        "grid.size = '8x8'\ntime.dt = 0.1\n";
    const stepper::Outcome outcome = until(bench, model, "until = 'steady=1e-3'\nsteps = 90000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::patterned);
    EXPECT_LE(outcome.at.step, 5 * stepper::kTestInterval) << "it is there after some 400 steps";
    // Before that: slow enough, but nobody knows whether it has only begun.
    const stepper::Outcome early = until(bench, model,
                                         "until = 'steady=1e-3'\nsteps = 90000\nparameters.r = '1e-6*(1 + 0.1*sin(2*pi*X))'\n"
                                         "initial.u = '1e-6*(1 + 0.2*sin(2*pi*X))'\n");
    EXPECT_EQ(early.verdict, stepper::Verdict::unsettled);
    EXPECT_NE(bench.observer.notices.find("but u has neither grown to twice the deviation of the start nor faded"), std::string::npos)
        << bench.observer.notices;
}

TEST(Until, WhatKeepsMovingReachesTheLimit) {
    Bench bench;
    const stepper::Outcome outcome =
        until(bench, "equations.u = 'v'\nequations.v = '-u'\ninitial.u = 'X'\ninitial.v = '0.1*X'\ngrid.size = '8x8'\ntime.dt = 0.001",
              "until = 'steady=1e-3'\nsteps = 9000");
    EXPECT_EQ(outcome.verdict, stepper::Verdict::unsettled);
}

}  // namespace until_test
