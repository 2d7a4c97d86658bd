// tests/unit/run/stages_test.cpp: how many stages a step has, and which dt they belong to
#include "kernel_cache.h"
#include "mottle/run/settings/stages.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace stages_test {

using namespace mottle;

struct Listener : core::Observer {
    void notice(const std::string& message) override { notices += message + "\n"; }
    bool keep_going(core::Moment, double) override { return true; }
    std::string notices;
};

class Stages : public testing::Test {
   protected:
    run::Simulation start(const std::string& model, const std::string& flags) {
        observer_.notices.clear();
        return {run::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document(flags, "flags")), context_};
    }
    std::string refusal(const std::string& model, const std::string& flags) {
        try {
            start(model, flags);
        } catch (const core::Error& error) {
            return error.message();
        }
        return "(taken)";
    }

    core::ThreadTeam team_{2};
    Listener observer_;
    core::Context context_{team_, observer_, kernel_cache()};
};

// lap on a plane of spacing 1 decays at up to 8: steps of s stages are stable up to (s^2 + s)/8 and (s^2 + s - 2)/16, of which 0.9 is taken.
const std::string kHeat = "[equations]\nu = 'lap(u)'\n[initial]\nu = 'cos(2*pi*X)'\n[grid]\nsize = '16x16'\n";

TEST_F(Stages, AreTheFewestThatDtNeeds) {
    for (const bool first : {true, false}) {
        for (const double dt : {0.1, 0.3, 1.0, 2.0, 7.5, 40.0, 333.0}) {
            const run::Simulation simulation =
                start(kHeat, std::string("method = '") + (first ? "rkl1" : "rkl2") + "'\nsteps = 1\ndt = " + std::to_string(dt));
            int fewest = first ? 1 : 2;
            const auto bears = [&](double s) { return 0.9 * (first ? s * s + s : (s * s + s - 2) / 2) / 8; };
            while (bears(fewest) < dt) ++fewest;
            EXPECT_EQ(simulation.clock().stages, fewest) << first << " " << dt;
            EXPECT_EQ(simulation.dt(), dt);
        }
    }
}

TEST_F(Stages, OfWavesThatTurnAreMore) {
    const std::string drifting = "[equations]\nu = 'lap(u) + 0.4*dx(u)'\n[initial]\nu = 'cos(2*pi*X)'\n[grid]\nsize = '16x16'\n";
    const run::Simulation still = start(kHeat, "method = 'rkl1'\nsteps = 1\ndt = 2"),
                          turning = start(drifting, "method = 'rkl1'\nsteps = 1\ndt = 2");
    EXPECT_GE(turning.clock().stages, still.clock().stages);
    EXPECT_LE(2, turning.clock().limits.limit);
    const std::string swift = "[equations]\nu = '0.1*lap(u) + 3*dx(u)'\n[initial]\nu = 'cos(2*pi*X)'\n[grid]\nsize = '16x16'\n";
    EXPECT_NE(refusal(swift, "method = 'rkl1'\nsteps = 1\ndt = 2").find("no number of stages of rkl1"), std::string::npos);
    const std::string wave = "[equations]\nu = 'w'\nw = 'lap(u)'\n[initial]\nu = 'cos(2*pi*X)'\nw = 0\n[grid]\nsize = '16x16'\n";
    EXPECT_NE(refusal(wave, "method = 'rkl2'\nsteps = 1\ndt = 2").find("use --method rk4"), std::string::npos);
    EXPECT_NE(refusal(wave, "method = 'rkl2'\nsteps = 1").find("dt cannot be chosen"), std::string::npos);
}

// 0.225 (s^2 + s)/2 and 0.225 (s^2 + s - 2)/4 have few digits, so that dt is at the limit of s stages itself.
TEST_F(Stages, OfTheLongestStepAreThoseThatItIsTheLongestOf) {
    for (const bool first : {true, false}) {
        for (const int s : {2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 21, 30, 50}) {
            const std::string method = std::string("method = '") + (first ? "rkl1" : "rkl2") + "'\nsteps = 1\n";
            const double dt = start(kHeat, method + "stages = " + std::to_string(s)).dt();
            EXPECT_NEAR(dt, 0.225 * (first ? 0.5 * (s * s + s) : 0.25 * (s * s + s - 2)), 1e-3 * dt);
            EXPECT_EQ(start(kHeat, method + "dt = " + core::number_text(dt)).clock().stages, s) << first << " " << dt;
        }
    }
}

TEST_F(Stages, GivenOnesDecideDt) {
    const run::Simulation nine = start(kHeat, "method = 'rkl2'\nstages = 9\nsteps = 1");
    EXPECT_EQ(nine.clock().stages, 9);
    EXPECT_NEAR(nine.dt(), 0.9 * (81 + 9 - 2) / 2 / 8, 1e-3);
    const run::Simulation seven = start(kHeat, "method = 'rkl1'\nstages = 7\nsteps = 1\ndt = 0.5");
    EXPECT_EQ(seven.clock().stages, 7) << "more than dt needs";
    EXPECT_EQ(seven.dt(), 0.5);
    start(kHeat, "method = 'rkl1'\nstages = 2\nsteps = 0\ndt = 5");
    EXPECT_NE(observer_.notices.find("expect the run to diverge"), std::string::npos) << observer_.notices;
}

// Without a reaction 15 and 22 times the limit of Euler's steps; with one 4 by its bound.
TEST_F(Stages, WithoutADtAccuracyChooses) {
    EXPECT_NEAR(start(kHeat, "method = 'rkl1'\nsteps = 1").dt(), 15 * 2 / 8.0, 1e-3);
    EXPECT_EQ(start(kHeat, "method = 'rkl1'\nsteps = 1").clock().stages, 6) << "0.9 of the limit of 5 is not enough";
    EXPECT_NEAR(start(kHeat, "method = 'rkl2'\nsteps = 1").dt(), 22 * 2 / 8.0, 1e-3);
    const std::string reacting =
        "[equations]\nu = 'lap(u) - 0.1*u^2'\n[fields]\nu.range = [0, 2]\n[initial]\nu = 1\n[grid]\nsize = '16x16'\n";
    EXPECT_NEAR(start(reacting, "method = 'rkl2'\nsteps = 1").dt(), 4 / 0.4, 0.11) << "bounds are within 5 %";
    EXPECT_NE(observer_.notices.find("rkl2, "), std::string::npos);
    EXPECT_NE(observer_.notices.find("times that of Euler's method"), std::string::npos) << observer_.notices;
    const run::Simulation timed = start(reacting, "method = 'rkl2'\ntime = 25");
    EXPECT_EQ(timed.steps(), 3);
    EXPECT_EQ(timed.dt() * 3, 25);
}

// A dt that was written for Euler's steps says how long the run is, and no more.
TEST_F(Stages, ThePresetOfAnotherMethodGivesItsTimeAlone) {
    const std::string model = kHeat + "[presets.a]\ndt = 0.2\nsteps = 1000\n";
    const run::Simulation simulation = start(model, "method = 'rkl1'");
    EXPECT_NEAR(simulation.dt() * static_cast<double>(simulation.steps()), 200, 1e-9);
    EXPECT_LT(simulation.steps(), 60);
    EXPECT_EQ(start(model, "method = 'rkl1'\nsteps = 7").steps(), 7);
    EXPECT_EQ(start(model, "method = 'rkl1'\ndt = 0.25").dt(), 0.25);
    EXPECT_EQ(start(model, "method = 'heun'").dt(), 0.2);
    const std::string own = kHeat + "[presets.a]\nmethod = 'rkl1'\ndt = 0.5\nsteps = 10\n";
    EXPECT_EQ(start(own, "").dt(), 0.5) << "it belongs to this method";
}

TEST_F(Stages, ThatAMethodDoesNotHaveAreRefused) {
    EXPECT_NE(refusal(kHeat, "method = 'rk4'\nstages = 3").find("the number of stages of rk4 is fixed (4)"), std::string::npos);
    EXPECT_NE(refusal(kHeat, "stages = 3").find("the number of stages of euler is fixed (1)"), std::string::npos);
    EXPECT_NE(refusal(kHeat, "method = 'rkl2'\nstages = 1").find("a step of rkl2 has 2 to 1,000 stages, not 1"), std::string::npos);
    EXPECT_NE(refusal(kHeat, "method = 'rkl2'\nstages = 1001").find("1,000"), std::string::npos);
    EXPECT_NE(refusal(kHeat, "method = 'rkl2'\nstages = 2.5").find("stages"), std::string::npos);
    const std::string noisy = "[equations]\nu = 'lap(u) + 0.1*white()'\n[initial]\nu = 1\n[grid]\nsize = '16x16'\n";
    EXPECT_NE(refusal(noisy, "method = 'rkl1'\nsteps = 3").find("white() takes one number in a step"), std::string::npos);
}

// Steps, frames and times are those of whole steps.
TEST_F(Stages, AreNoSteps) {
    run::Simulation simulation = start(kHeat, "method = 'rkl2'\nstages = 6\ndt = 0.5\nsteps = 40");
    EXPECT_EQ(simulation.advance_to(11).at.step, 11);
    EXPECT_EQ(simulation.now().time, 5.5);
    EXPECT_EQ(simulation.run_to_end().at.step, 40);
    EXPECT_EQ(simulation.now().time, 20);
}

}  // namespace stages_test
