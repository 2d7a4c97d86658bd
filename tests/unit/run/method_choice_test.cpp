// tests/unit/run/method_choice_test.cpp: which method is chosen, by what, and what leaves the choice alone
#include "kernel_cache.h"
#include "mottle/run/settings/method_choice.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/ir/stability/local_stability.h"
#include "mottle/run/settings/method_costs.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/spec.h"
#include "mottle/sweep/sweep.h"

#include "unit/run/run_fixture.h"

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

using MethodChoice = RunFixture;

TEST_F(MethodChoice, StiffDiffusionTakesStagesThatFollowTheReaction) {
    const auto simulation = start_run(kStiff, "time = 120\n");  // long enough that not its 128th part is the longest step
    EXPECT_EQ(simulation->spec().method.name, "sts2");
    EXPECT_FALSE(simulation->spec().tolerance);
    // about u = 1, v = 0.9 the reaction has the eigenvalues -0.1 +- i, a little more or less where the start is not 1 and 0.9
    EXPECT_NEAR(simulation->dt(), 0.5, 0.12);
    EXPECT_EQ(simulation->dt() * static_cast<double>(simulation->steps()), 120);
    // the fewest stages s with 0.76 s^2 - 1.1 >= 320 dt/0.9, or one more
    const int stages = simulation->clock().stages;
    const auto bears = [](int s) { return 0.9 * (0.76 * s * s - 1.1) / 320; };
    EXPECT_GE(bears(stages), simulation->dt());
    EXPECT_LT(bears(stages - 2), simulation->dt());
    // 0.9 of 2 over what diffusion decays at: 8 times 40
    EXPECT_NE(observer_.notices.find("diffusion of v limits Euler's method to dt 0.0056; sts2, "), std::string::npos) << observer_.notices;
    EXPECT_NE(observer_.notices.find("times faster: dt "), std::string::npos) << observer_.notices;
}

// Rounding of f32 grows with the stages of sts2; where 64 are too few, shorter steps of them are compared with rkl2, whose stages cost more and may be more.
TEST_F(MethodChoice, SinglePrecisionTakesFewerStagesOfSts2) {
    const auto chosen = [&](const std::string& diffusion, const std::string& precision) {
        std::string model = kStiff;
        model.replace(model.find("40*lap"), 2, diffusion);
        const auto simulation = start_run(model, "time = 120\nprecision = '" + precision + "'\n");
        return std::pair(simulation->spec().method.name, simulation->clock().stages);
    };
    EXPECT_EQ(chosen("2000", "f32"), std::pair(std::string("sts2"), 64));
    const auto [wide, stages] = chosen("2000", "f64");
    EXPECT_EQ(wide, "sts2");
    EXPECT_GT(stages, 100);
    EXPECT_EQ(chosen("4000", "f32").first, "rkl2");
    EXPECT_EQ(chosen("4000", "f64"), std::pair(std::string("sts2"), 128));
}

TEST_F(MethodChoice, StepsBecomeShorterWhereTheFieldsBecomeFaster) {
    // grows from 0.001 by 0.1 per unit of time, until u^3 takes over, by up to 30 times that
    const std::string model =
        "equations = { u = '0.02*lap(u) + 0.1*u + 8*u^2 - 8*u^3', v = '40*lap(v) + u - v' }\n"
        "initial = { u = '0.01', v = '0.01' }\ngrid.size = '32x24'\n";
    const auto simulation = start_run(model, "time = 80\nprecision = 'f64'\n");
    ASSERT_EQ(simulation->spec().method.name, "sts2") << observer_.notices;
    const double first = simulation->dt();
    EXPECT_EQ(simulation->run_to_end().verdict, stepper::Verdict::reached);
    EXPECT_LT(simulation->dt(), first);
    ASSERT_FALSE(simulation->shortenings().empty());
    EXPECT_NE(simulation->shortenings().front().why.find("which change by up to "), std::string::npos);
}

TEST_F(MethodChoice, OperatorsOnMoreThanAFieldKeepEulersMethod) {
    for (const char* u :
         {"lap(u^3 - u) - bilap(u)", "-bilap(u) - lap(u) - 0.5*norm2(grad(u))", "lap(u) - u*dx(u)", "div((1 + u^2)*grad(u))"}) {
        const std::string model =
            "equations = { u = '" + std::string(u) + "', v = '400*lap(v) + u - v' }\ninitial = { u = '0.1*cos(2*pi*X)', v = 0 }\n";
        EXPECT_EQ(start_run(model, "time = 30\nsize = '32x24'\n")->spec().method.name, "euler") << u << "\n" << observer_.notices;
    }
    const std::string linear =
        "equations = { u = 'lap(u) - 0.1*u', v = '400*lap(v) + u - v' }\ninitial = { u = '0.1*cos(2*pi*X)', v = 0 }\n";
    EXPECT_EQ(start_run(linear, "time = 30\nsize = '32x24'\n")->spec().method.name, "sts2") << observer_.notices;
}

TEST_F(MethodChoice, WhatEulersMethodDoesAsWellKeepsItAndItsBits) {
    const std::vector<double> chosen = values_at_end(kOwnPace, "time = 40\n");
    EXPECT_EQ(observer_.notices.find("faster"), std::string::npos) << observer_.notices;
    EXPECT_EQ(chosen, values_at_end(kOwnPace, "time = 40\nmethod = 'euler'\n"));
    EXPECT_EQ(chosen, values_at_end(kOwnPace, "time = 40\nmethod = 'auto'\n"));
}

TEST_F(MethodChoice, WhatTurnsTakesTheOrderThatKeepsItsPhase) {
    // a wave of frequency w, T w (w dt)^p/(p + 1)! of which is lost in the time T
    const double time = 50, w = 2;
    const auto fast = start_run(turning(w), "time = 50\n");
    EXPECT_EQ(fast->spec().method.name, "rk4");
    EXPECT_FALSE(fast->spec().tolerance);
    const double kept = std::pow(120 * 0.005 / (time * w), 0.25) / w;
    EXPECT_LE(fast->dt(), kept * 1.001);
    EXPECT_GE(fast->dt(), kept * 0.97);
    EXPECT_NE(observer_.notices.find("oscillate at up to 2 radians per unit of time"), std::string::npos) << observer_.notices;
    // a fifth of a turn: steps of the first order that are short enough cost more than those of the second
    const auto slow = start_run(turning(0.1), "time = 12\n");
    EXPECT_EQ(slow->spec().method.name, "midpoint") << observer_.notices;
    const auto still = start_run(turning(0.0001), "time = 12\n");
    EXPECT_EQ(still->spec().method.name, "euler") << observer_.notices;
}

TEST_F(MethodChoice, IsNotAskedWhereSomethingIsGiven) {
    for (const char* flags : {"time = 30\nmethod = 'euler'\n", "time = 3\ndt = 0.005\n", "steps = 50\n", "steps = 50\ndt = 0.005\n"}) {
        const auto simulation = start_run(kStiff, flags);
        EXPECT_EQ(simulation->spec().method.name, "euler") << flags;
    }
    const std::string noisy =
        "equations = { u = '40*lap(u) - u + white()', v = 'lap(v) - v' }\ninitial = { u = 0, v = 'X' }\ngrid.size = '32x24'\n";
    for (const char* flags : {"time = 60\n", "time = 30\nmethod = 'auto'\n"})
        EXPECT_EQ(start_run(noisy, flags)->spec().method.name, "euler");
    EXPECT_EQ(start_run("schnakenberg", "size = '32x32'\n")->spec().method.name, "euler") << "the dt of its preset";
    std::string stiff = kStiff + "presets.a = { dt = 1e-4, steps = 200000 }\n";
    stiff.replace(stiff.find("40*lap"), 2, "400");
    const auto volume = start_run(stiff, "size = '8x8x8'\n");
    EXPECT_EQ(volume->spec().method.name, "euler") << "a dt of a plane's preset that a volume bears";
    EXPECT_EQ(volume->dt(), 1e-4);
}

TEST_F(MethodChoice, AskedForItReplacesTheStepsOfAPreset) {
    const auto simulation = start_run("schnakenberg", "size = '64x64'\nmethod = 'auto'\n");
    const auto usual = start_run("schnakenberg", "size = '64x64'\n");
    EXPECT_EQ(simulation->spec().method.name, "sts2") << observer_.notices;
    EXPECT_NEAR(simulation->dt() * static_cast<double>(simulation->steps()), usual->dt() * static_cast<double>(usual->steps()), 1e-9);
    EXPECT_NE(refusal_of(kStiff, "time = 30\nmethod = 'auto'\ndt = 0.1\n").find("leave out dt"), std::string::npos);
    EXPECT_NE(refusal_of(kStiff, "time = 30\nmethod = 'auto'\nstages = 5\n").find("leave out --stages"), std::string::npos);
    EXPECT_NE(refusal_of(kStiff, "steps = 30\nmethod = 'auto'\n").find("give --time"), std::string::npos);
}

TEST_F(MethodChoice, AMeshThatReplacesTheStepsOfAPresetTakesStages) {
    const std::string flags = "mesh = 'sphere:5'\nmesh_scale = 2\n";
    const auto simulation = start_run("gray-scott", flags);
    EXPECT_EQ(simulation->spec().method.name, "sts2") << observer_.notices;
    const auto steps = start_run("gray-scott", flags + "steps = 100\n");
    EXPECT_EQ(steps->spec().method.name, "euler") << "steps are counted";
    EXPECT_EQ(simulation->dt() * static_cast<double>(simulation->steps()), 18000) << "1 times the steps of the preset";
    EXPECT_EQ(start_run("gray-scott", "mesh = 'sphere:4'\n")->spec().method.name, "euler") << "where its dt will do";
}

TEST_F(MethodChoice, TheBitsAreThoseOfTheSameMethodAndOfNoMachine) {
    const std::vector<double> chosen = values_at_end(kStiff, "time = 60\nmethod = 'auto'\n");
    const auto simulation = start_run(kStiff, "time = 60\n");
    ASSERT_EQ(simulation->spec().method.name, "sts2");
    EXPECT_EQ(chosen, values_at_end(kStiff, "time = 60\nmethod = 'sts2'\ndt = " + core::number_text(simulation->dt()) + "\n"));
    EXPECT_EQ(chosen, values_at_end(kStiff, "time = 60\n", 1));
    EXPECT_EQ(chosen, values_at_end(kStiff, "time = 60\ndevice = 'reference'\n"));
}

/// A square of 12 x 12 vertices, one of which lies at `x` instead of 5, next to the one at 6; it is removed with this.
struct ThinSquare {
    explicit ThinSquare(double at)
        : file(std::filesystem::temp_directory_path() / ("mottle_choice_" + std::to_string(::getpid()) + ".obj")) {
        std::ofstream obj(file);
        for (int y = 0; y < 12; ++y) {
            for (int x = 0; x < 12; ++x) obj << "v " << core::number_text(x == 5 && y == 6 ? at : x) << " " << y << " 0\n";
        }
        for (int y = 0; y < 11; ++y) {
            for (int x = 0; x < 11; ++x) {
                const int a = 1 + 12 * y + x;
                obj << "f " << a << " " << a + 1 << " " << a + 13 << "\nf " << a << " " << a + 13 << " " << a + 12 << "\n";
            }
        }
    }
    ~ThinSquare() { std::filesystem::remove(file); }
    std::string flags() const { return "mesh = '" + file.string() + "'\nmesh_scale = 1\n"; }
    std::filesystem::path file;
};
const std::string kSlow = "equations = { u = 'lap(u) + 0.01*(u - u^3)' }\ninitial = { u = 'noise(-0.1, 0.1)' }\n";

TEST_F(MethodChoice, NamesTheVertexOfThinTriangles) {
    const ThinSquare square(5.998);
    const auto simulation = start_run(kSlow, "time = 400\n" + square.flags());
    // 5 + 12*6 = 77 moved next to 78: either row may be the stiffest
    const bool named = observer_.notices.find("diffusion of u at the thin triangles of vertex 77 ") != std::string::npos ||
                       observer_.notices.find("diffusion of u at the thin triangles of vertex 78 ") != std::string::npos;
    EXPECT_TRUE(named) << observer_.notices;
    EXPECT_EQ(simulation->spec().method.name, "rkl2") << observer_.notices;
}

TEST_F(MethodChoice, TakesAFactorWhereTrianglesAreTooThinForStages) {
    const ThinSquare square(6 - 1e-8);
    const std::string flags = "time = 400\nprecision = 'f64'\n" + square.flags();
    const auto simulation = start_run(kSlow, flags);
    ASSERT_EQ(simulation->spec().method.name, "imex2") << observer_.notices;
    EXPECT_NE(observer_.notices.find("; imex2, about "), std::string::npos) << observer_.notices;
    EXPECT_LE(simulation->dt(), 400 / 128.0 / 3);
    const std::vector<double> chosen = values_at_end(kSlow, flags);
    const std::vector<double> fine =
        values_at_end(kSlow, flags + "method = 'imex2'\ndt = " + core::number_text(simulation->dt() / 8) + "\n");
    double error = 0, squares = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
        error += (chosen[i] - fine[i]) * (chosen[i] - fine[i]);
        squares += fine[i] * fine[i];
    }
    EXPECT_LT(error, 1e-4 * squares);
    // a shorter dt that the model has for planes is no reason to take more steps of a method that it was not meant for
    const auto of_model = start_run(kSlow + "time.dt = 0.1\n", flags);
    EXPECT_EQ(of_model->spec().method.name, "imex2");
    EXPECT_EQ(of_model->dt(), simulation->dt());
    EXPECT_NE(observer_.notices.find("; imex2, about "), std::string::npos) << observer_.notices;
    // where a part of the equations is nothing to solve for, stages it is
    const std::string held = "equations = { u = 'div((1 + 0.1*X)*grad(u)) + 0.01*(u - u^3)' }\ninitial = { u = 'noise(-0.1, 0.1)' }\n";
    EXPECT_EQ(start_run(held, flags)->spec().method.name, "rkl2") << observer_.notices;
}

TEST_F(MethodChoice, RunsOfASweepHaveOneMethod) {
    Listener observer;
    core::Context context{team_, observer, kernel_cache()};
    std::string model = kStiff;
    model.replace(model.find("0.1 - u"), 3, "a");
    model += "parameters.a = 0.1\n";
    sweep::Spec spec = sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", core::parse_document("time = 60\n", "flags"),
                                        {"a=0.1,0.12"});
    sweep::Sweep sweep(std::move(spec), context);
    EXPECT_TRUE(sweep.run_to_end());
    EXPECT_NE(observer.notices.find("times faster"), std::string::npos) << observer.notices;
}

// The first run, whose waves hardly turn, would have Euler's method alone.
TEST_F(MethodChoice, ASweepTakesTheMethodOfTheRunThatNeedsIt) {
    Listener observer;
    core::Context context{team_, observer, kernel_cache()};
    std::string model = turning(2);
    for (std::size_t at = model.find("2.000000"); at != std::string::npos; at = model.find("2.000000")) model.replace(at, 8, "w");
    const std::string flags = "time = 30\nprecision = 'f64'\n", document = model + "parameters.w = 0\n";
    for (const char* over : {"w=0,1,2", "w=2,1,0"}) {
        sweep::Sweep sweep(
            sweep::read_spec(core::parse_document(document, "test.toml"), "test", "", core::parse_document(flags, "flags"), {over}),
            context);
        EXPECT_TRUE(sweep.run_to_end());
        EXPECT_EQ(sweep.spec().base.method.name, "rk4") << observer.notices;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::vector<double> fine = values_at_end(
                document, flags + "method = 'rk4'\ndt = 0.01\nparameters.w = " + core::number_text(sweep.spec().value(0, i)) + "\n");
            std::vector<double> row(32);
            double error = 0;
            for (core::Index y = 0; y < 24; ++y) {
                sweep.field(i).kernel().read_row(sweep.field(i).state(), 0, y, std::span<double>(row));
                for (std::size_t x = 0; x < 32; ++x) error = std::max(error, std::abs(row[x] - fine[core::at(y) * 32 + x]));
            }
            EXPECT_LT(error, 0.02) << over << " " << i;
        }
    }
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
