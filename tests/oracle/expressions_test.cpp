// tests/oracle/expressions_test.cpp: arithmetic, comparisons, elementary functions, maps, time and clamps against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace oracle {
namespace expressions_test {

constexpr double kDt = 0.03125, kD = 0.3;
const double kPi = std::acos(-1.0);

struct Cell {
    double u, v, x, y, X, Y, t;
};
using Reaction = double (*)(const Cell&);

class Expressions : public testing::TestWithParam<const char*> {
   protected:
    /// u' = D lap(u) + TEXT, v' = D lap(v) - 0.1 v + 0.1 u, against `reaction` in place of TEXT.
    void check(const std::string& text, Reaction reaction, const std::string& more = "", double low = -1.5, double high = 1.5) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        SCOPED_TRACE(text);
        const std::string document = "[equations]\nu = \"D*lap(u) + " + text +
                                     "\"\nv = \"D*lap(v) - 0.1*v + 0.1*u\"\n[parameters]\nD = 0.3\n" + more + "\n[initial]\nu = \"noise(" +
                                     std::to_string(low) + ", " + std::to_string(high) + ")\"\nv = \"noise(0.5, 1.5)\"\n";
        const Outcome outcome = run_mottle(document, "", "size = \"27x15\"\nspacing = 0.75\ndt = 0.03125\n", 50, GetParam());
        const Grid& g = outcome.grid;
        const Fields expected = advance(outcome.start, kDt, 50, [&](const Fields& f, double t) {
            const Ghosted u = g.ghosted(f[0]), v = g.ghosted(f[1]);
            return Fields{g.cells([&](int i, int j) {
                              const Cell cell{u.at(i, j), v.at(i, j), g.x(i), g.y(j), g.x(i) / (g.nx * g.hx), g.y(j) / (g.ny * g.hy), t};
                              return kD * g.lap5(u, i, j) + reaction(cell);
                          }),
                          g.cells([&](int i, int j) { return kD * g.lap5(v, i, j) - 0.1 * v.at(i, j) + 0.1 * u.at(i, j); })};
        });
        expect_agreement(outcome, expected);
    }
};

TEST_P(Expressions, Arithmetic) {
    check("(u + v)*(u - v)/(2 + v^2)", [](const Cell& c) { return (c.u + c.v) * (c.u - c.v) / (2 + c.v * c.v); });
    check("-u^2 + 2*-v + (-u)^3 + 1", [](const Cell& c) { return -(c.u * c.u) + 2 * -c.v - c.u * c.u * c.u + 1; });
    check("u/v/2 - v/(u^2 + 1)*0.5", [](const Cell& c) { return c.u / c.v / 2 - c.v / (c.u * c.u + 1) * 0.5; });
    check("1 - 2 - 3*u + 4/2/2", [](const Cell& c) { return 1 - 2 - 3 * c.u + 4.0 / 2 / 2; });
}

TEST_P(Expressions, Powers) {
    check("u^2*v - 0.1*u^5", [](const Cell& c) { return c.u * c.u * c.v - 0.1 * std::pow(c.u, 5); });
    check("v^-2 - v^0.5 - 2^u", [](const Cell& c) { return 1 / (c.v * c.v) - std::sqrt(c.v) - std::exp2(c.u); });
    check("pow(v, 1.7) - v^2^0.5 - u", [](const Cell& c) { return std::pow(c.v, 1.7) - std::pow(c.v, std::sqrt(2.0)) - c.u; });
}

TEST_P(Expressions, Comparisons) {
    check("(u > 0.25) - (u <= -0.5)", [](const Cell& c) { return (c.u > 0.25 ? 1.0 : 0.0) - (c.u <= -0.5 ? 1.0 : 0.0); });
    check("(u < v)*v - (u >= 0.5)*u", [](const Cell& c) { return (c.u < c.v ? c.v : 0) - (c.u >= 0.5 ? c.u : 0); });
    check("0.5*(floor(4*X) == 2) - 0.5*(floor(4*X) != 1)",
          [](const Cell& c) { return 0.5 * (std::floor(4 * c.X) == 2) - 0.5 * (std::floor(4 * c.X) != 1); });
    check("where(u > 0, v, where(v > 1, -u, u^2))", [](const Cell& c) { return c.u > 0 ? c.v : c.v > 1 ? -c.u : c.u * c.u; });
}

TEST_P(Expressions, MinMaxAndSteps) {
    check("min(u, v) + max(u, -0.5) - min(0.3, max(v, u))",
          [](const Cell& c) { return std::min(c.u, c.v) + std::max(c.u, -0.5) - std::min(0.3, std::max(c.v, c.u)); });
    check("clamp(u, -0.4, 0.6) - abs(u) + 0.2*sign(u - 0.1)",
          [](const Cell& c) { return std::clamp(c.u, -0.4, 0.6) - std::abs(c.u) + 0.2 * ((c.u > 0.1) - (c.u < 0.1)); });
    check("0.3*floor(2*u) - mod(u, 0.7)", [](const Cell& c) { return 0.3 * std::floor(2 * c.u) - (c.u - 0.7 * std::floor(c.u / 0.7)); });
}

TEST_P(Expressions, Elementary) {
    check("exp(-u^2) - 0.5", [](const Cell& c) { return std::exp(-c.u * c.u) - 0.5; });
    check("log(v + 1) - sqrt(v)", [](const Cell& c) { return std::log(c.v + 1) - std::sqrt(c.v); });
    check("sin(3*u) - cos(2*v)", [](const Cell& c) { return std::sin(3 * c.u) - std::cos(2 * c.v); });
    check("0.3*tan(0.5*v) - tanh(2*u)", [](const Cell& c) { return 0.3 * std::tan(0.5 * c.v) - std::tanh(2 * c.u); });
    check("atan2(u - 2, v) + 1", [](const Cell& c) { return std::atan2(c.u - 2, c.v) + 1; });
}

TEST_P(Expressions, PlacesAndPi) {
    check("0.2*sin(2*pi*X)*y - 0.1*x*Y", [](const Cell& c) { return 0.2 * std::sin(2 * kPi * c.X) * c.y - 0.1 * c.x * c.Y; });
}

TEST_P(Expressions, Time) {
    check("sin(2*t)*v - t*u", [](const Cell& c) { return std::sin(2 * c.t) * c.v - c.t * c.u; });
    check(
        "a*cos(3*t + x)", [](const Cell& c) { return 0.7 * std::cos(3 * c.t + c.x); }, "a = 0.7");
}

TEST_P(Expressions, ParametersAsMaps) {
    check(
        "F*(1 - u) - k*u", [](const Cell& c) { return (0.2 + 0.6 * c.X) * (1 - c.u) - (c.Y > 0.5 ? 0.5 : 0.1) * c.u; },
        "F = \"0.2 + 0.6*X\"\nk = \"where(Y > 0.5, 0.5, 0.1)\"");
}

TEST_P(Expressions, DiffusionByAMapIsMirroredAtTheBorder) {
    if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string text =
        "[equations]\nu = \"div(K*grad(u)) - 0.1*u\"\n[parameters]\nK = \"0.2 + 0.8*X*Y\"\n[initial]\nu = \"noise(0, 1)\"\n";
    for (const Rule rule : {Rule::periodic, Rule::no_flux, Rule::value}) {
        const std::string name = rule == Rule::periodic ? "periodic" : rule == Rule::no_flux ? "no-flux" : "value(0.5)";
        SCOPED_TRACE(name);
        const Outcome outcome = run_mottle(text, "", "size = \"21x26\"\ndt = 0.125\nboundary = \"" + name + "\"\n", 50, GetParam());
        const Grid& g = outcome.grid;
        const Ghosted map = g.ghosted(g.cells([&](int i, int j) { return 0.2 + 0.8 * (g.x(i) / g.nx) * (g.y(j) / g.ny); }),
                                      all_sides(rule == Rule::periodic ? Rule::periodic : Rule::no_flux));
        const Fields expected = advance(outcome.start, 0.125, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0], all_sides(rule, 0.5));
            return Fields{g.cells([&](int i, int j) { return g.div_grad(map, u, i, j) - 0.1 * u.at(i, j); })};
        });
        expect_agreement(outcome, expected);
    }
}

TEST_P(Expressions, DiffusionByAPlaceIsMirroredAtTheBorder) {
    if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string text = "[equations]\nu = \"div((0.2 + 0.8*X^2 + 0.3*u)*grad(u)) - 0.1*u\"\n[initial]\nu = \"noise(0, 1)\"\n";
    const Outcome outcome = run_mottle(text, "", "size = \"21x26\"\ndt = 0.125\nboundary = \"value(0.5)\"\n", 50, GetParam());
    const Grid& g = outcome.grid;
    const Ghosted place =
        g.ghosted(g.cells([&](int i, int) { return 0.2 + 0.8 * (g.x(i) / g.nx) * (g.x(i) / g.nx); }), all_sides(Rule::no_flux));
    const Fields expected = advance(outcome.start, 0.125, 50, [&](const Fields& f, double) {
        const Ghosted u = g.ghosted(f[0], all_sides(Rule::value, 0.5));
        const Ghosted d = place.joined(u, [](double a, double b) { return a + 0.3 * b; });
        return Fields{g.cells([&](int i, int j) { return g.div_grad(d, u, i, j) - 0.1 * u.at(i, j); })};
    });
    expect_agreement(outcome, expected);
}

TEST_P(Expressions, ClampAfterEveryStep) {
    if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string text = "[equations]\nu = \"lap(u) + 2*u - 1\"\n[clamp]\nu = [0.1, 0.8]\n[initial]\nu = \"noise(0, 1)\"\n";
    const Outcome outcome = run_mottle(text, "", "size = \"33x12\"\ndt = 0.125\n", 50, GetParam());
    const Grid& g = outcome.grid;
    Fields expected = outcome.start;
    for (int step = 0; step < 50; ++step) {
        expected = advance(expected, 0.125, 1, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            return Fields{g.cells([&](int i, int j) { return g.lap5(u, i, j) + 2 * u.at(i, j) - 1; })};
        });
        for (double& value : expected[0]) value = std::clamp(value, 0.1, 0.8);
    }
    expect_agreement(outcome, expected);
}

INSTANTIATE_TEST_SUITE_P(, Expressions, testing::Values("reference", "cpu"), [](const auto& device) { return std::string(device.param); });

}  // namespace expressions_test
}  // namespace oracle
