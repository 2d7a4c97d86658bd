// tests/oracle/runge_kutta_test.cpp: every method against plain loops, exact solutions and its order
#include "oracle/runge_kutta.h"

#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace oracle {
namespace runge_kutta_test {

class RungeKutta : public testing::TestWithParam<const char*> {
   protected:
    int stages() const {
        const std::string name = GetParam();
        return name == "sts2" ? 4 : name.starts_with("rkl") || name.starts_with("sts") ? 5 : 0;
    }
    /// With the order of the lengths that Mottle took when this was written.
    Stages plain_stages() const {
        const std::string name = GetParam();
        return {stages(), name == "sts1"   ? std::vector<int>{2, 1, 3, 0, 4}
                          : name == "sts2" ? std::vector<int>{1, 2, 0, 3}
                                           : std::vector<int>{}};
    }
    std::string method() const {
        return "method = \"" + std::string(GetParam()) + "\"\n" + (stages() > 0 ? "stages = " + std::to_string(stages()) + "\n" : "");
    }
};

// Time in the equations and in every kind of border, a held stage, a field that neighbours do not read, and clamps at the ends of steps alone.
TEST_P(RungeKutta, FollowsThePlainLoop) {
    const std::string text = R"toml(
[equations]
u = "0.6*lap(u) - 0.02*bilap(u) + 0.3*dx(u) - 0.2*u*v + 0.4*sin(3*t)*X + 0.1*w"
v = "div((0.1 + 0.2*u^2)*grad(v)) + a*u*v - 0.1*v + 0.2*cos(t)"
w = "u - w + 0.5*t"
[parameters]
a = 0.8
[clamp]
v = [0.05, 0.9]
[initial]
u = "noise(0, 1)"
v = "noise(0, 1)"
w = "0.1"
[boundary.u]
left = "value(0.3 + sin(2*t))"
right = "robin(1 + 2*t, 2, 0.3*t)"
top = "flux(0.2*cos(t))"
bottom = "outside(cos(3*t))"
[boundary.v]
left = "no-flux"
right = "no-flux"
top = "no-flux"
bottom = "no-flux"
[boundary.w]
left = "no-flux"
right = "no-flux"
top = "no-flux"
bottom = "no-flux"
)toml";
    const double dt = 0.0625;
    const auto rate = [&](const Grid& grid, const Fields& f, double t) {
        const Sides sides = {Side{Rule::value, 0.3 + std::sin(2 * t)}, Side{Rule::robin, 0.3 * t, 1 + 2 * t, 2},
                             Side{Rule::flux, 0.2 * std::cos(t)}, Side{Rule::outside, std::cos(3 * t)}};
        const Ghosted u = grid.ghosted(f[0], sides), v = grid.ghosted(f[1], all_sides(Rule::no_flux));
        const Ghosted curved = grid.ghosted(grid.cells([&](int i, int j) { return grid.lap5(u, i, j); }), homogeneous(sides));
        const Ghosted spread = u.mapped([](double x) { return 0.1 + 0.2 * x * x; });
        const auto at = [&](const Cells& cells, int i, int j) { return cells[static_cast<std::size_t>(j * grid.nx + i)]; };
        return Fields{grid.cells([&](int i, int j) {
                          const double X = (i + 0.5) / grid.nx;
                          return 0.6 * grid.lap5(u, i, j) - 0.02 * grid.lap5(curved, i, j) + 0.3 * grid.dx(u, i, j) -
                                 0.2 * u.at(i, j) * v.at(i, j) + 0.4 * std::sin(3 * t) * X + 0.1 * at(f[2], i, j);
                      }),
                      grid.cells([&](int i, int j) {
                          return grid.div_grad(spread, v, i, j) + 0.8 * u.at(i, j) * v.at(i, j) - 0.1 * v.at(i, j) + 0.2 * std::cos(t);
                      }),
                      grid.cells([&](int i, int j) { return u.at(i, j) - at(f[2], i, j) + 0.5 * t; })};
    };
    for (const char* device : {"reference", "cpu"}) {
        if (lacks(device)) continue;
        const Outcome outcome = run_mottle(text, "", "size = \"21x17\"\ndt = 0.0625\n" + method(), 50, device);
        Fields expected = outcome.start;
        for (int step = 0; step < 50; ++step) {
            expected = step_by(
                GetParam(), expected, step * dt, dt, [&](const Fields& f, double t) { return rate(outcome.grid, f, t); },
                [](Fields f, double) { return f; }, plain_stages());
            for (double& v : expected[1]) v = std::clamp(v, 0.05, 0.9);
        }
        expect_agreement(outcome, expected);
    }
}

TEST_P(RungeKutta, FollowsThePlainLoopOnSurfaces) {
    mottle::domain::Mesh mesh = shape("plane:13x9", 1);
    mesh.loops[0] = mottle::domain::parse_boundary({"value(0.4 + 0.3*sin(2*t))", {}});
    const plain::PlainMesh geometry = plain_of(mesh);
    const double dt = 0.05;
    const std::size_t vertices = geometry.position.size();
    const auto& border = mesh.surface->loops[0];
    const auto mend = [&](MeshFields f, double t) {
        for (auto& field : f) {
            for (const auto vertex : border) field[static_cast<std::size_t>(vertex)] = 0.4 + 0.3 * std::sin(2 * t);
        }
        return f;
    };
    const auto rate = [&](const MeshFields& f, double t) {
        const auto lu = plain::laplacian(geometry, f[0]), lv = plain::laplacian(geometry, f[1]);
        MeshFields k = f;
        for (std::size_t i = 0; i < vertices; ++i) {
            k[0][i] = 0.3 * lu[i] - f[0][i] * f[1][i] + std::cos(t);
            k[1][i] = 0.1 * lv[i] + f[0][i] * f[0][i] - f[1][i];
        }
        return k;
    };
    const MeshFields start = mend({sample(mesh, [](double x, double y, double) { return 1 + 0.3 * std::sin(0.7 * x + 0.4 * y); }),
                                   sample(mesh, [](double x, double y, double) { return 0.5 + 0.2 * std::cos(0.5 * x - 0.3 * y); })},
                                  0);
    MeshFields expected = start;
    for (int step = 0; step < 40; ++step) expected = step_by(GetParam(), expected, step * dt, dt, rate, mend, plain_stages());
    const std::string model = "method.name = '" + std::string(GetParam()) + "'\n" +
                              (stages() > 0 ? "method.stages = " + std::to_string(stages()) + "\n" : "") + R"toml(
[equations]
u = "0.3*lap(u) - u*v + cos(t)"
v = "0.1*lap(v) + u^2 - v"
[initial]
u = "1"
v = "1"
)toml";
    for (const char* device : {"reference", "auto"}) {
        const MeshFields end = run_on_mesh({model, mesh, dt, device, "steps=4 parts=2"}, start, 40);
        for (std::size_t k = 0; k < end.size(); ++k) {
            double change = 0;
            for (std::size_t i = 0; i < vertices; ++i) {
                ASSERT_NEAR(end[k][i], expected[k][i], 1e-12) << device << ", field " << k << ", vertex " << i;
                change = std::max(change, std::abs(end[k][i] - start[k][i]));
            }
            EXPECT_GT(change, 0.1);
        }
    }
}

// A wave of the periodic grid is an eigenvector of lap, and decays by the stability polynomial of the method in each step.
TEST_P(RungeKutta, DecaysAWaveByItsPolynomial) {
    const int n = 32, steps = 20;
    const double D = 0.7, dt = 0.3, k = 2 * std::numbers::pi * 5 / n, z = -dt * D * 2 * (1 - std::cos(k));
    const std::string name = GetParam();
    double factor = 1 + z;
    if (name != "euler") factor += z * z / 2;
    if (name == "rk4") factor += z * z * z / 6 + z * z * z * z / 24;
    const auto legendre = [](double x) { return (63 * std::pow(x, 5) - 70 * std::pow(x, 3) + 15 * x) / 8; };
    if (name == "rkl1" || name == "sts1") factor = legendre(1 + 2 * z / 30);
    const auto legendre_of_four = [](double x) { return (35 * std::pow(x, 4) - 30 * x * x + 3) / 8; };
    if (name == "sts2") factor = 11.0 / 20 + 9.0 / 20 * legendre_of_four(1 + 4 * z / 18);
    if (name == "rkl2") factor = 8.0 / 15 + 7.0 / 15 * legendre(1 + 4 * z / 28);  // b = (s^2 + s - 2)/(2 s (s + 1))
    const Outcome outcome =
        run_mottle("[equations]\nu = '0.7*lap(u)'\n[initial]\nu = 'cos(2*pi*5*X)'\n", "", "size = \"32x8\"\ndt = 0.3\n" + method(), steps);
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        const double expected = std::pow(factor, steps) * std::cos(k * (i + 0.5));
        EXPECT_NEAR(outcome.end[0][static_cast<std::size_t>(i)], expected, 1e-14);
        largest = std::max(largest, std::abs(expected));
    }
    EXPECT_GT(largest, 1e-3);
}

// u' = u (1 - u) has u = 1/(1 + e^-t (1/u0 - 1)). Half the step takes the error to a half, a quarter or a sixteenth.
TEST(RungeKuttaOrder, OfTheLogisticEquation) {
    const double end = 2, exact = 1 / (1 + std::exp(-end) * (1 / 0.2 - 1));
    struct {
        const char* name;
        double order;
        int stages = 0;
    } const methods[] = {{"euler", 1},   {"midpoint", 2}, {"heun", 2},   {"rk4", 4}, {"rkl1", 1, 4},
                         {"rkl2", 2, 4}, {"sts1", 1, 4},  {"sts2", 2, 6}};  // of 5 stages or more sts2 has polynomials of its own
    for (const auto& [name, order, count] : methods) {
        double before = 0;
        const std::string stages = count > 0 ? "stages = " + std::to_string(count) + "\n" : "";
        for (const int steps : {10, 20, 40, 80}) {
            const std::string settings =
                "size = \"4x4\"\nmethod = \"" + std::string(name) + "\"\n" + stages + "dt = " + std::to_string(end / steps) + "\n";
            const Outcome outcome = run_mottle("[equations]\nu = 'u*(1 - u)'\n[initial]\nu = 0.2\n", "", settings, steps);
            const double error = std::abs(outcome.end[0][0] - exact);
            if (before > 0) {
                EXPECT_NEAR(std::log2(before / error), order, 0.2) << name << ", " << steps << " steps";
            }
            before = error;
        }
    }
}

// What stands still does so exactly, in either precision: no sum of weights that is 1 but for its last bit.
TEST_P(RungeKutta, AUniformStateAtRestStays) {
    for (const char* precision : {"f32", "f64"}) {
        const Outcome outcome = run_mottle("[equations]\nu = '0.2*lap(u)'\n[initial]\nu = 0.7\n", "",
                                           "size = \"8x8\"\ndt = 0.5\n" + method(), 5000, "auto", precision);
        for (std::size_t c = 0; c < outcome.end[0].size(); ++c) EXPECT_EQ(outcome.end[0][c], outcome.start[0][c]) << precision;
    }
}

INSTANTIATE_TEST_SUITE_P(, RungeKutta, testing::Values("euler", "midpoint", "heun", "rk4", "rkl1", "rkl2", "sts1", "sts2"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace runge_kutta_test
}  // namespace oracle
