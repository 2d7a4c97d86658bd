// tests/unit/ir/favoured_wave_test.cpp: the fastest wave of Turing's instability against a plain scan of the quadratic formula
#include "mottle/ir/stability/favoured_wave.h"

#include "mottle/core/document.h"
#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace favoured_wave_test {

using namespace mottle;

model::Model schnakenberg(double d) {
    return model::check(core::parse_document("equations.u = 'lap(u) + 0.1 - u + u^2*v'\nequations.v = '" + std::to_string(d) +
                                                 "*lap(v) + 0.9 - u^2*v'\ninitial.u = 1\ninitial.v = 0.9\n",
                                             "test.toml"),
                        "test");
}

/// 2 pi / k at which the greater root of the characteristic equation at (1, 0.9) is greatest; 0 where no wave grows.
double scanned(double d) {
    double most = 0, length = 0;
    for (double k = 0.001; k < 3; k += 1e-5) {
        const double a = 0.8 - k * k, e = -1 - d * k * k, trace = a + e, determinant = a * e + 1.8;
        const double inside = trace * trace / 4 - determinant, real = trace / 2 + (inside > 0 ? std::sqrt(inside) : 0);
        if (real > most) {
            most = real;
            length = 2 * std::numbers::pi / k;
        }
    }
    return length;
}

TEST(FavouredWave, IsTheFastestOfTuringsInstability) {
    domain::Grid grid;
    grid.size = {64, 64, 1};
    for (const double d : {15.0, 40.0, 200.0}) {
        const auto found = ir::favoured_wavelength(schnakenberg(d), grid, {1, 0.9});
        ASSERT_TRUE(found) << d;
        EXPECT_NEAR(*found, scanned(d), 1e-4 * *found) << d;
    }
}

TEST(FavouredWave, IsNoneWhereNoneGrowsOrTheUniformOneGrowsFastest) {
    domain::Grid grid;
    grid.size = {64, 64, 1};
    EXPECT_EQ(scanned(5), 0);
    EXPECT_FALSE(ir::favoured_wavelength(schnakenberg(5), grid, {1, 0.9}));
    const model::Model front = model::check(core::parse_document("equations.u = 'lap(u) + u - u^3'\ninitial.u = 0\n", "test.toml"), "test");
    EXPECT_FALSE(ir::favoured_wavelength(front, grid, {0}));
    EXPECT_EQ(ir::fastest_reaction(front, grid, {0}), 1);
    EXPECT_EQ(ir::fastest_reaction(front, grid, {1}), 2);
    const model::Model ripples =
        model::check(core::parse_document("equations.u = '-0.2*u - lap(u) - bilap(u)'\ninitial.u = 0\n", "test.toml"), "test");
    EXPECT_NEAR(ir::favoured_wavelength(ripples, grid, {0}).value_or(0), 2 * std::numbers::pi * std::sqrt(2.0), 1e-3) << "k^2 = 1/2";
}

// By hand: with k^2 = 4, d = 10 at (1, 0.9) the derivatives of 0.1 - u + u^2 v and 0.9 - u^2 v, less k^2 and d k^2.
TEST(Jacobian, IsThatOfTheFormula) {
    const std::vector<std::vector<double>> reaction = ir::jacobian(schnakenberg(10), {1, 0.9}, 0),
                                           wave = ir::jacobian(schnakenberg(10), {1, 0.9}, 2);
    EXPECT_NEAR(reaction[0][0], 0.8, 1e-15);
    EXPECT_NEAR(reaction[0][1], 1, 1e-15);
    EXPECT_NEAR(reaction[1][0], -1.8, 1e-15);
    EXPECT_NEAR(reaction[1][1], -1, 1e-15);
    EXPECT_NEAR(wave[0][0], 0.8 - 4, 1e-14);
    EXPECT_NEAR(wave[1][1], -1 - 40, 1e-13);
    EXPECT_EQ(wave[0][1], reaction[0][1]);
    EXPECT_THROW(ir::jacobian(schnakenberg(10), {1}, 0), core::InputError);
    EXPECT_THROW(ir::jacobian(schnakenberg(10), {1, INFINITY}, 0), core::InputError);
}

TEST(Jacobian, KnowsThatItDoesNotKnowAMap) {
    const model::Model model = model::check(
        core::parse_document("equations.u = 'F*u'\nequations.v = 'u - v'\nparameters.F = 'X'\ninitial.u = 1\ninitial.v = 1\n", "test.toml"),
        "test");
    const std::vector<std::vector<double>> matrix = ir::jacobian(model, {1, 1}, 0);
    EXPECT_TRUE(std::isnan(matrix[0][0]));
    EXPECT_EQ(matrix[1][0], 1);
    EXPECT_EQ(matrix[1][1], -1);
}

}  // namespace favoured_wave_test
