// tests/oracle/boundaries_test.cpp: every boundary rule, mixed sides, corners and rules of single fields against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace boundaries_test {

constexpr double kDt = 0.0625;

class Boundaries : public testing::TestWithParam<const char*> {
   protected:
    /// Two coupled fields that look at all eight neighbours, so that every corner counts. `u_sides` and `v_sides` of a time.
    template <class SidesOfU, class SidesOfV>
    void check(const std::string& boundary, SidesOfU u_sides, SidesOfV v_sides) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        const std::string text =
            "[equations]\nu = \"0.6*lap(u) + 0.3*dx(u) - 0.2*dy(v) - 0.1*u*v\"\nv = \"0.4*lap(v) + 0.25*dx(v) + 0.35*dy(u) + 0.1*u*v\"\n"
            "[parameters]\na = 0.8\n[initial]\nu = \"noise(0, 1)\"\nv = \"noise(0, 1)\"\n";
        const Outcome outcome = run_mottle(text, "", "size = \"21x17\"\nstencil = 9\ndt = 0.0625\n" + boundary, 50, GetParam());
        const Grid& grid = outcome.grid;
        const Fields expected = advance(outcome.start, kDt, 50, [&](const Fields& f, double t) {
            const Ghosted u = grid.ghosted(f[0], u_sides(t)), v = grid.ghosted(f[1], v_sides(t));
            Cells du = grid.cells([&](int i, int j) {
                return 0.6 * grid.lap9(u, i, j) + 0.3 * grid.dx(u, i, j) - 0.2 * grid.dy(v, i, j) - 0.1 * u.at(i, j) * v.at(i, j);
            });
            Cells dv = grid.cells([&](int i, int j) {
                return 0.4 * grid.lap9(v, i, j) + 0.25 * grid.dx(v, i, j) + 0.35 * grid.dy(u, i, j) + 0.1 * u.at(i, j) * v.at(i, j);
            });
            return Fields{du, dv};
        });
        expect_agreement(outcome, expected);
    }
    void check(const std::string& boundary, const Sides& sides) {
        auto constant = [&](double) { return sides; };
        check(boundary, constant, constant);
    }
};

const Side kPeriodic{Rule::periodic, 0}, kNoFlux{Rule::no_flux, 0}, kStill{Rule::still, 0};
Side value(double c) { return {Rule::value, c}; }
Side outside(double c) { return {Rule::outside, c}; }
Side flux(double g) { return {Rule::flux, g}; }
Side robin(double a, double b, double c) { return {Rule::robin, c, a, b}; }

TEST_P(Boundaries, Periodic) { check("boundary = \"periodic\"\n", all_sides(Rule::periodic)); }
TEST_P(Boundaries, NoFlux) { check("boundary = \"no-flux\"\n", all_sides(Rule::no_flux)); }
TEST_P(Boundaries, Value) { check("boundary = \"value(0.3)\"\n", all_sides(Rule::value, 0.3)); }
TEST_P(Boundaries, Outside) { check("boundary = \"outside(1.25)\"\n", all_sides(Rule::outside, 1.25)); }
TEST_P(Boundaries, Still) { check("boundary = \"still\"\n", all_sides(Rule::still)); }

TEST_P(Boundaries, FourValuesMeetInTheCorners) {
    check("boundary = { left = \"value(0.1)\", right = \"value(0.9)\", top = \"value(0.4)\", bottom = \"value(-0.6)\" }\n",
          {value(0.1), value(0.9), value(0.4), value(-0.6)});
}
TEST_P(Boundaries, FourOutsidesMeetInTheCorners) {
    check("boundary = { left = \"outside(0.1)\", right = \"outside(0.9)\", top = \"outside(0.4)\", bottom = \"outside(-0.6)\" }\n",
          {outside(0.1), outside(0.9), outside(0.4), outside(-0.6)});
}
TEST_P(Boundaries, ValueBesideOutsideBesideNoFlux) {
    check("boundary = { left = \"value(0.2)\", right = \"no-flux\", top = \"outside(0.7)\", bottom = \"value(1)\" }\n",
          {value(0.2), kNoFlux, outside(0.7), value(1)});
}
TEST_P(Boundaries, PeriodicAcrossNoFluxAlong) {
    check("boundary = { left = \"periodic\", right = \"periodic\", top = \"no-flux\", bottom = \"value(0.5)\" }\n",
          {kPeriodic, kPeriodic, kNoFlux, value(0.5)});
}
TEST_P(Boundaries, ValueAcrossPeriodicAlong) {
    check("boundary = { left = \"value(0.5)\", right = \"outside(0)\", top = \"periodic\", bottom = \"periodic\" }\n",
          {value(0.5), outside(0), kPeriodic, kPeriodic});
}
TEST_P(Boundaries, OneStillSide) {
    check("boundary = { left = \"still\", right = \"value(0.5)\", top = \"no-flux\", bottom = \"outside(0.25)\" }\n",
          {kStill, value(0.5), kNoFlux, outside(0.25)});
}
TEST_P(Boundaries, StillRowsBetweenPeriodicSides) {
    check("boundary = { left = \"periodic\", right = \"periodic\", top = \"still\", bottom = \"still\" }\n",
          {kPeriodic, kPeriodic, kStill, kStill});
}
TEST_P(Boundaries, EachFieldItsOwnRule) {
    check(
        "boundary = { left = \"no-flux\", right = \"no-flux\", top = \"no-flux\", bottom = \"no-flux\", v = { left = \"value(0.9)\", top = "
        "\"outside(0.2)\" } }\n",
        [](double) { return all_sides(Rule::no_flux); },
        [](double) {
            return Sides{value(0.9), kNoFlux, outside(0.2), kNoFlux};
        });
}
TEST_P(Boundaries, FourFluxesMeetInTheCorners) {
    check("spacing = 0.8\nboundary = { left = \"flux(0.1)\", right = \"flux(-0.3)\", top = \"flux(0.4)\", bottom = \"flux(0.2)\" }\n",
          {flux(0.1), flux(-0.3), flux(0.4), flux(0.2)});
}
TEST_P(Boundaries, RobinBesideFluxBesideValue) {
    check(
        "spacing = 0.8\nboundary = { left = \"robin(1, 2, 0.5)\", right = \"flux(0.2)\", top = \"robin(0.3, 1, -0.2)\", bottom = "
        "\"value(0.4)\" }\n",
        {robin(1, 2, 0.5), flux(0.2), robin(0.3, 1, -0.2), value(0.4)});
}
TEST_P(Boundaries, RobinOfParametersAndTimeAcrossPeriodic) {
    auto u = [](double t) { return Sides{robin(0.8, 1 + t, std::cos(t)), flux(0.8 * std::sin(t)), kPeriodic, kPeriodic}; };
    check("boundary = { left = \"robin(a, 1 + t, cos(t))\", right = \"flux(a*sin(t))\", top = \"periodic\", bottom = \"periodic\" }\n", u,
          u);
}
TEST_P(Boundaries, ValuesOfParametersAndTime) {
    auto u = [](double t) { return Sides{value(0.8 * std::sin(2 * t)), value(0.8), value(0.8 / (1 + t)), outside(t)}; };
    check("boundary = { left = \"value(a*sin(2*t))\", right = \"value(a)\", top = \"value(a/(1 + t))\", bottom = \"outside(t)\" }\n", u, u);
}

// Diffusion between a held end and a border with a flux, or with a f + b df/dn = c, ends as a straight line, which second-order differences have exactly.
class SteadyBorders : public testing::TestWithParam<const char*> {
   protected:
    void check(const std::string& axis, const std::string& low, const std::string& high, double slope, double start) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        const bool x = axis == "x";
        const std::string sides = x ? "left = \"" + low + "\", right = \"" + high + "\", top = \"no-flux\", bottom = \"no-flux\""
                                    : "top = \"" + low + "\", bottom = \"" + high + "\", left = \"no-flux\", right = \"no-flux\"";
        const Outcome outcome = run_mottle(
            "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"0.2\"\n", "",
            std::string("size = ") + (x ? "\"12x3\"" : "\"3x12\"") + "\nspacing = 0.5\ndt = 0.06\nboundary = { " + sides + " }\n", 8000,
            GetParam());
        for (int j = 0; j < outcome.grid.ny; ++j) {
            for (int i = 0; i < outcome.grid.nx; ++i) {
                const double at = x ? outcome.grid.x(i) : outcome.grid.y(j);
                ASSERT_NEAR(outcome.end[0][static_cast<std::size_t>(j * outcome.grid.nx + i)], start + slope * at, 1e-9) << i << " " << j;
            }
        }
    }
};

TEST_P(SteadyBorders, FluxHasItsSlope) {
    check("x", "value(0.25)", "flux(0.75)", 0.75, 0.25);
    check("y", "flux(0.75)", "value(1)", -0.75, 1 + 0.75 * 6);
}
TEST_P(SteadyBorders, RobinHoldsItsSum) {
    check("x", "value(0)", "robin(2, 3, 1)", 1 / (2.0 * 6 + 3), 0);  // s: 2 (6 s) + 3 s = 1
    check("y", "robin(2, 3, 1)", "value(0)", -1 / (2.0 * 6 + 3), 6 / (2.0 * 6 + 3));
}

INSTANTIATE_TEST_SUITE_P(, SteadyBorders, testing::Values("reference", "cpu"),
                         [](const auto& device) { return std::string(device.param); });
INSTANTIATE_TEST_SUITE_P(, Boundaries, testing::Values("reference", "cpu"), [](const auto& device) { return std::string(device.param); });

}  // namespace boundaries_test
}  // namespace oracle
