// tests/unit/run/method_choice_test.cpp: which method is chosen, by what, and what leaves the choice alone
#include "mottle/run/settings/method_choice.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/ir/stability/local_stability.h"
#include "mottle/run/settings/method_costs.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/spec.h"
#include "mottle/sweep/sweep.h"

#include "unit/run/listener.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

namespace method_choice_test {

using namespace mottle;

// Diffusion 1 and 40, and reactions of about 1 per unit of time.
const std::string kStiff =
    "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v' }\n"
    "initial = { u = '1 + 0.05*cos(4*pi*X)', v = '0.9 + 0.05*cos(2*pi*(X + Y))' }\ngrid.size = '32x24'\n";
const std::string kOwnPace =
    "equations = { u = '0.16*lap(u) - u*v^2 + 0.037*(1 - u)', v = '0.08*lap(v) + u*v^2 - 0.097*v' }\n"
    "define.s = '0.5 + 0.5*tanh(6*(cos(2*pi*X) + cos(2*pi*Y) - 0.8))'\ninitial = { u = '1 - 0.5*s', v = '0.25*s' }\ngrid.size = '32x24'\n";

/// Grows by 1 and turns by `w` radians per unit of time about u = v = 0; ends on the circle of radius 1.
std::string turning(double w) {
    const std::string of = std::to_string(w);
    return "equations = { u = '0.1*lap(u) + u - " + of + "*v - u*(u^2 + v^2)', v = '0.1*lap(v) + v + " + of +
           "*u - v*(u^2 + v^2)' }\ninitial = { u = '0.1*cos(2*pi*X)', v = '0.1*sin(2*pi*X)' }\ngrid.size = '32x24'\n";
}

class MethodChoice : public testing::Test {
   protected:
    std::unique_ptr<run::Simulation> start(const std::string& model, const std::string& flags, int threads = 2) {
        observer_.notices.clear();
        if (threads != team_.size()) one_.emplace(1);
        context_.emplace(core::Context{threads == 1 ? *one_ : team_, observer_, {}});
        const bool named = model.find('=') == std::string::npos;
        const core::Node document = named ? model::load_document(model) : core::parse_document(model, "test.toml");
        return std::make_unique<run::Simulation>(run::read_spec(document, "test", "", core::parse_document(flags, "flags")), *context_);
    }
    std::string refusal(const std::string& model, const std::string& flags) {
        try {
            start(model, flags);
        } catch (const core::Error& error) {
            return error.message();
        }
        return "(taken)";
    }
    static std::vector<double> values(const run::Simulation& simulation) {
        std::vector<double> all;
        for (const std::string& name : simulation.field().names()) {
            const std::vector<double> own = simulation.field().values(simulation.field().find(name));
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    }
    std::vector<double> end_of(const std::string& model, const std::string& flags, int threads = 2) {
        const auto simulation = start(model, flags, threads);
        EXPECT_EQ(simulation->run_to_end().verdict, stepper::Verdict::reached);
        return values(*simulation);
    }

    core::ThreadTeam team_{2};
    std::optional<core::ThreadTeam> one_;
    Listener observer_;
    std::optional<core::Context> context_;
};

TEST_F(MethodChoice, StiffDiffusionTakesStagesInStepsOfATolerance) {
    const auto simulation = start(kStiff, "time = 30\n");
    const run::Spec& spec = simulation->spec();
    EXPECT_EQ(spec.method.name, "rkl1");
    EXPECT_EQ(spec.tolerance, run::kErrorOfChoice);
    // 0.9 of 2 over what diffusion decays at: 8 times 40
    EXPECT_NE(observer_.notices.find("diffusion of v limits Euler's method to dt 0.0056; rkl1 in steps that hold 1 %, some "),
              std::string::npos)
        << observer_.notices;
    EXPECT_NE(observer_.notices.find("times faster"), std::string::npos);
    EXPECT_EQ(values(*simulation).size(), 2U * 32 * 24);
}

TEST_F(MethodChoice, WhatEulersMethodDoesAsWellKeepsItAndItsBits) {
    const std::vector<double> chosen = end_of(kOwnPace, "time = 40\n");
    EXPECT_EQ(observer_.notices.find("faster"), std::string::npos) << observer_.notices;
    EXPECT_EQ(chosen, end_of(kOwnPace, "time = 40\nmethod = 'euler'\n"));
    EXPECT_EQ(chosen, end_of(kOwnPace, "time = 40\nmethod = 'auto'\n"));
}

TEST_F(MethodChoice, WhatTurnsTakesTheOrderThatKeepsItsPhase) {
    // a wave of frequency w, T w (w dt)^p/(p + 1)! of which is lost in the time T
    const double time = 50, w = 2;
    const auto fast = start(turning(w), "time = 50\n");
    EXPECT_EQ(fast->spec().method.name, "rk4");
    EXPECT_FALSE(fast->spec().tolerance);
    const double kept = std::pow(120 * 0.01 / (time * w), 0.25) / w;
    EXPECT_LE(fast->dt(), kept * 1.001);
    EXPECT_GE(fast->dt(), kept * 0.97);
    EXPECT_NE(observer_.notices.find("turn by up to 2 radians per unit of time"), std::string::npos) << observer_.notices;
    // a tenth of a turn: steps of the first order that are short enough cost more than those of the second
    const auto slow = start(turning(0.05), "time = 12\n");
    EXPECT_EQ(slow->spec().method.name, "midpoint") << observer_.notices;
    const auto still = start(turning(0.0001), "time = 12\n");
    EXPECT_EQ(still->spec().method.name, "euler") << observer_.notices;
}

TEST_F(MethodChoice, IsNotAskedWhereSomethingIsGiven) {
    for (const char* flags : {"time = 30\nmethod = 'euler'\n", "time = 3\ndt = 0.005\n", "steps = 50\n", "steps = 50\ndt = 0.005\n"}) {
        const auto simulation = start(kStiff, flags);
        EXPECT_EQ(simulation->spec().method.name, "euler") << flags;
        EXPECT_FALSE(simulation->spec().tolerance) << flags;
    }
    const std::string noisy = "equations = { u = '40*lap(u) - u + white()', v = 'lap(v) - v' }\ninitial = { u = 0, v = 'X' }\ngrid.size = '32x24'\n";
    for (const char* flags : {"time = 30\n", "time = 30\nmethod = 'auto'\n"}) EXPECT_EQ(start(noisy, flags)->spec().method.name, "euler");
    EXPECT_EQ(start("schnakenberg", "size = '32x32'\n")->spec().method.name, "euler") << "the dt of its preset";
}

TEST_F(MethodChoice, AskedForItReplacesTheStepsOfAPreset) {
    const auto simulation = start("schnakenberg", "size = '64x64'\nmethod = 'auto'\n");
    const auto usual = start("schnakenberg", "size = '64x64'\n");
    EXPECT_EQ(simulation->spec().method.name, "rkl1");
    EXPECT_NEAR(simulation->dt() * static_cast<double>(simulation->steps()), usual->dt() * static_cast<double>(usual->steps()), 1e-9);
    EXPECT_NE(refusal(kStiff, "time = 30\nmethod = 'auto'\ndt = 0.1\n").find("leave out dt"), std::string::npos);
    EXPECT_NE(refusal(kStiff, "time = 30\nmethod = 'auto'\nstages = 5\n").find("leave out --stages"), std::string::npos);
    EXPECT_NE(refusal(kStiff, "steps = 30\nmethod = 'auto'\n").find("give --time"), std::string::npos);
}

TEST_F(MethodChoice, AMeshThatReplacesTheStepsOfAPresetTakesStages) {
    const auto simulation = start("gray-scott", "mesh = 'sphere:4'\n");
    EXPECT_EQ(simulation->spec().method.name.substr(0, 3), "rkl") << observer_.notices;
    EXPECT_TRUE(simulation->clock().by_tolerance);
    EXPECT_EQ(start("gray-scott", "mesh = 'sphere:4'\nsteps = 100\n")->spec().method.name, "euler") << "steps are counted";
}

TEST_F(MethodChoice, TheBitsAreThoseOfTheSameMethodAndOfNoMachine) {
    const std::vector<double> chosen = end_of(kStiff, "time = 6\nmethod = 'auto'\n");
    const auto simulation = start(kStiff, "time = 6\n");
    ASSERT_TRUE(simulation->spec().tolerance);
    EXPECT_EQ(chosen, end_of(kStiff, "time = 6\ntolerance = 0.01\nmethod = '" + simulation->spec().method.name + "'\n"));
    EXPECT_EQ(chosen, end_of(kStiff, "time = 6\n", 1));
    EXPECT_EQ(chosen, end_of(kStiff, "time = 6\ndevice = 'reference'\n"));
}

TEST_F(MethodChoice, NamesTheVertexOfThinTriangles) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("mottle_choice_" + std::to_string(::getpid()) + ".obj");
    {
        std::ofstream obj(file);
        for (int y = 0; y < 12; ++y) {
            for (int x = 0; x < 12; ++x) obj << "v " << (x == 5 && y == 6 ? 5.998 : x) << " " << y << " 0\n";
        }
        for (int y = 0; y < 11; ++y) {
            for (int x = 0; x < 11; ++x) {
                const int a = 1 + 12 * y + x;
                obj << "f " << a << " " << a + 1 << " " << a + 13 << "\nf " << a << " " << a + 13 << " " << a + 12 << "\n";
            }
        }
    }
    const auto simulation = start("equations = { u = 'lap(u) + 0.01*(u - u^3)' }\ninitial = { u = 'noise(-0.1, 0.1)' }\n",
                                  "time = 400\nmesh = '" + file.string() + "'\nmesh_scale = 1\n");
    std::filesystem::remove(file);
    // 5 + 12*6 = 77 moved next to 78: either row may be the stiffest
    const bool named = observer_.notices.find("diffusion of u at the thin triangles of vertex 77 ") != std::string::npos ||
                       observer_.notices.find("diffusion of u at the thin triangles of vertex 78 ") != std::string::npos;
    EXPECT_TRUE(named) << observer_.notices;
}

TEST_F(MethodChoice, RunsOfASweepHaveOneMethod) {
    Listener observer;
    core::Context context{team_, observer, {}};
    std::string model = kStiff;
    model.replace(model.find("0.1 - u"), 3, "a");
    model += "parameters.a = 0.1\n";
    sweep::Spec spec = sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document("time = 3\n", "flags"),
                                        {"a=0.1,0.12"});
    sweep::Sweep sweep(std::move(spec), context);
    EXPECT_TRUE(sweep.run_to_end());
    EXPECT_NE(observer.notices.find("times faster"), std::string::npos) << observer.notices;
}

TEST(MethodCosts, GrowWithTheStagesAndAreThoseOfTheDomain) {
    domain::Grid plane, large, volume;
    plane.size = {256, 256, 1};
    large.size = {2048, 2048, 1};
    volume.size = {64, 64, 64};
    EXPECT_EQ(run::cost_of_step({"euler", false, 0}, plane), 1);
    EXPECT_EQ(run::cost_of_step({"rkl2", false, 10}, plane), 2 * run::cost_of_step({"rkl2", false, 5}, plane));
    EXPECT_GT(run::cost_of_step({"rkl1", false, 5}, large), run::cost_of_step({"rkl1", false, 5}, plane));
    EXPECT_NE(run::cost_of_step({"rk4", false, 0}, volume), run::cost_of_step({"rk4", false, 0}, plane));
    EXPECT_THROW(run::cost_of_step({"imex", false, 0}, plane), core::InternalError);
}

}  // namespace method_choice_test
