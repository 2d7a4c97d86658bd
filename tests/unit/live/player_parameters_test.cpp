// tests/unit/live/player_parameters_test.cpp: a slider that is moved, and what follows it; against products and sums by hand
#include "mottle/live/server/takeaway.h"

#include "mottle/run/settings/read_spec.h"
#include "unit/live/stage.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mottle::live::player_parameters_test {
namespace {

TEST(Player, AParameterTakesEffectFromTheNextStep) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const double before = values(player, "v")[0];
    step(player, 3);
    player.set_parameter("r", 2);
    step(player, 2);
    EXPECT_NEAR(values(player, "v")[0], before * std::pow(0.875, 3) * 0.25, 1e-12);
    EXPECT_THROW(player.set_parameter("q", 1), core::InputError);
    EXPECT_THROW(player.set_parameter("r", HUGE_VAL), core::InputError);
    step(player, 1);
    EXPECT_NEAR(values(player, "v")[0], before * std::pow(0.875, 3) * 0.125, 1e-12);
    // and what is written down has it
    EXPECT_NE(player.project().model_text(player.spec(), player.simulation().dt(), 7).find("\nr = 2\n"), std::string::npos);
}

TEST(Player, WhatIsComputedFromAParameterFollows) {
    Stage stage;
    const std::string text = "equations.v = '-k*v + g'\nparameters = { a = 1, k = '2*a', g = 'a*X' }\ninitial.v = 1\n";
    Player player(stage.project(text, "size = '4x4'\ndt = 0.01\nprecision = 'f64'\n"), stage.context);
    double expected = 1;
    const auto step_by = [&](double a) {
        step(player, 10);
        for (int i = 0; i < 10; ++i) expected += 0.01 * (-2 * a * expected + a * 0.125);
    };
    step_by(1);
    player.set_parameter("a", 5);
    step_by(5);
    EXPECT_NEAR(values(player, "v")[0], expected, 1e-14);
    EXPECT_EQ(player.spec().model.parameters[1].value, 10);
    player.set_parameter("k", 3);
    player.set_parameter("a", 0);
    step(player, 1);
    EXPECT_NEAR(values(player, "v")[0], 0.97 * expected, 1e-14);
}

// Weights of tensors and regions are made with a surface: it is prepared anew.
TEST(Player, ASurfaceIsPreparedAnewForATensor) {
    const std::string text =
        "[equations]\nv = 'div(tensor(1, 0.1, c, 0, 1)*grad(v))'\n[parameters]\nc = 0.5\n[initial]\nv = 'x'\n[mesh]\nshape = 'sphere:3'\n";
    const std::string flags = "dt = 1e-4\nprecision = 'f64'\n";
    Stage stage;
    Player player(stage.project(text, flags), stage.context);
    player.set_parameter("c", 4);
    step(player, 20);
    EXPECT_EQ(values(player, "v"), fields_of(text, 20, "v", flags + "parameters.c = 4\n"));
    EXPECT_NE(values(player, "v"), fields_of(text, 20, "v", flags));
    // and so it is where an equation has the first one
    Player other(stage.project(replaced(text, "tensor(1, 0.1, c, 0, 1)", "1"), flags), stage.context);
    other.become(other.project().with_text(text), false);
    step(other, 20);
    EXPECT_EQ(values(other, "v"), fields_of(text, 20, "v", flags));
}

// The automatic dt follows D; t goes on, here and where the state is taken to.
TEST(Player, TimeGoesOnWhereDtChanges) {
    Stage stage;
    const std::string text =
        "equations.u = 'D*lap(u) + t'\nparameters.D = { value = 1, min = 0, max = 100 }\ninitial.u = 0\nfields.u.range = [0, 1]\n";
    Player player(stage.project(text, "size = '8x8'\nprecision = 'f64'\nsteps = 100\n"), stage.context);
    double time = 0, sum = 0;
    const auto advance = [&] {
        const double dt = player.simulation().dt();
        step(player, 7);
        for (int i = 0; i < 7; ++i, time += dt) sum += dt * time;
    };
    advance();
    player.set_parameter("D", 3);
    advance();
    player.set_parameter("D", 0.7);
    advance();
    EXPECT_EQ(player.simulation().now().step, 21);
    EXPECT_NEAR(player.simulation().now().time, time, 1e-13);
    EXPECT_NEAR(values(player, "u")[5], sum, 1e-12);
    const std::vector<std::filesystem::path> files = save_files(player, {.what = "model+state", .look = {}}, stage.files, stage.context);
    run::Simulation again(
        run::read_spec(core::read_document(files[0]), "again", "", core::parse_document("resume = '" + files[1].string() + "'", "flags")),
        stage.context);
    EXPECT_EQ(again.now().time, player.simulation().now().time);
    step(player, 10);
    again.advance_to(31);
    EXPECT_EQ(again.field().values(0), values(player, "u"));
}

}  // namespace
}  // namespace mottle::live::player_parameters_test
