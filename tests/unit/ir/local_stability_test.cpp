// tests/unit/ir/local_stability_test.cpp: steps about the states of cells against closed forms
#include "mottle/ir/stability/local_stability.h"

#include "mottle/core/document.h"

#include <gtest/gtest.h>

#include <cmath>

namespace local_stability_test {

using namespace mottle;

ir::StiffWave wave(const std::string& equations, const ir::CellState& cell, double dt, const std::string& method = "euler",
                   const std::string& size = "64x64") {
    const model::Model model = model::check(core::parse_document(equations, "test.toml"), "test");
    domain::Grid grid;
    grid.size = domain::parse_size({size, {}});
    return ir::LocalStability(model, {method, false}, grid).at(cell, dt);
}

TEST(LocalStability, DiffusionAndReactionAddUp) {
    const std::string text = "equations.u = 'lap(u) - u^3'\ninitial.u = 0\n";
    const ir::StiffWave one = wave(text, {{2}, {}, 0}, 0.2);  // 8 + 3 u^2
    EXPECT_NEAR(one.growth, 0.2 * 20 - 1, 1e-12);
    EXPECT_NEAR(one.longest, 2.0 / 20, 1e-12);
    EXPECT_NEAR(wave(text, {{0}, {}, 0}, 0.2).growth, 1 - 0.2, 1e-12) << "of the longest wave that is looked at";
    EXPECT_EQ(wave(text, {{0}, {}, 0}, 0.2).longest, INFINITY);
    EXPECT_NEAR(wave(text, {{2}, {}, 0}, 0.2, "rk4").longest, 2.785293563405282 / 20, 1e-9);
}

TEST(LocalStability, KnowsTimeAndMaps) {
    const std::string text = "equations.u = '-m*u - t*u'\nparameters.m = '100*X'\ninitial.u = 0\n";
    EXPECT_NEAR(wave(text, {{1}, {{"m", 30}}, 7}, 0.4).longest, 2.0 / 37, 1e-12);
    EXPECT_NEAR(wave(text, {{1}, {}, 7}, 0.4).longest, 2.0 / 7, 1e-12) << "from 0 to 100, and no more than 0 is sure";
}

TEST(LocalStability, TakesFieldsTogether) {
    // (3 4; -4 3) decays at 3 +- 4i: Euler bears 2*3/25
    const std::string text = "equations = {u = '-3*u - 4*v', v = '4*u - 3*v'}\ninitial = {u = 0, v = 0}\n";
    const ir::StiffWave both = wave(text, {{1, 1}, {}, 0}, 0.5);
    EXPECT_NEAR(both.longest, 6.0 / 25, 1e-12);
    EXPECT_NEAR(both.growth, std::hypot(1 - 1.5, 2), 1e-12);
    EXPECT_EQ(wave("equations.u = 'u'\ninitial.u = 0\n", {{1}, {}, 0}, 0.5).growth, 0) << "what grows by itself is no wave that is damped";
}

TEST(LocalStability, TellsHowFastAndWhetherTheyTurn) {
    const auto rates = [](const std::string& equations, const ir::CellState& cell, double dt) {
        const model::Model model = model::check(core::parse_document(equations, "test.toml"), "test");
        domain::Grid grid;
        grid.size = {64, 64, 1};
        return ir::LocalStability(model, {"euler", false}, grid).rates_at(cell, dt);
    };
    // grows by 0.5 and turns by 3
    const std::string grows = "equations = {u = 'lap(u) + 0.5*u - 3*v', v = 'lap(v) + 3*u + 0.5*v'}\ninitial = {u = 0, v = 0}\n";
    EXPECT_NEAR(rates(grows, {{0, 0}, {}, 0}, 0.1).turning, 3, 1e-12);
    EXPECT_NEAR(rates(grows, {{0, 0}, {}, 0}, 0.1).fastest, std::hypot(0.5, 3), 1e-12);
    // fades by 0.5, of which a step takes 9 dt/2: a quarter, where dt is 1/36
    const std::string fades = "equations = {u = '-0.5*u - 3*v', v = '3*u - 0.5*v'}\ninitial = {u = 0, v = 0}\n";
    EXPECT_EQ(rates(fades, {{0, 0}, {}, 0}, 0.99 / 36).turning, 0);
    EXPECT_NEAR(rates(fades, {{0, 0}, {}, 0}, 1.01 / 36).turning, 3, 1e-12);
    // of waves that a pattern is made of: lap = -k^2, 2 k^2 - k^4 grows most at k = 1, by 1
    EXPECT_NEAR(rates("equations.u = '-2*lap(u) - bilap(u)'\ninitial.u = 0\n", {{0}, {}, 0}, 0.01).fastest, 1, 0.1);
    EXPECT_EQ(rates("equations.u = '2*u'\ninitial.u = 0\n", {{0}, {}, 0}, 0.1).fastest, 2);
}

}  // namespace local_stability_test
