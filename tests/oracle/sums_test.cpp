// tests/oracle/sums_test.cpp: mean(f) and integral(f) against plain loops, exact solutions and a conservation law
#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"
#include "oracle/runge_kutta.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace sums_test {

double mean_of(const Cells& cells) {
    long double sum = 0;
    for (const double cell : cells) sum += cell;
    return static_cast<double>(sum / static_cast<long double>(cells.size()));
}

class Sums : public testing::TestWithParam<const char*> {
   protected:
    std::string method() const { return "method = \"" + std::string(GetParam()) + "\"\n"; }
};

// Of a field, of the cell's own expressions with a coordinate, a map and t, of an operator, of another sum; where a uniform may stand; clamps.
TEST_P(Sums, FollowThePlainLoop) {
    const std::string text = R"toml(
[equations]
u = "mean(v)*lap(u) + u - u^3 - mean(u - u^3) + 0.02*integral(X*u*m)*sin(3*t)"
v = "div((0.1 + mean(u^2*cos(t)))*grad(v)) - 0.3*v*mean(norm2(grad(u))) + where(mean((v - mean(v))^2) > 0.05, 0.2, -0.1)*u"
[parameters]
m = "0.5 + Y"
[clamp]
v = [0.05, 0.9]
[initial]
u = "noise(-0.5, 1)"
v = "noise(0, 1)"
)toml";
    const double dt = 0.0625, h = 0.75;
    const int steps = 40;
    const auto rate = [&](const Grid& grid, const Fields& f, double t) {
        const Ghosted u = grid.ghosted(f[0]), v = grid.ghosted(f[1]);
        const auto cells = [&](auto&& what) { return grid.cells([&](int i, int j) { return what(u.at(i, j), v.at(i, j), i, j); }); };
        const double mean_v = mean_of(f[1]);
        const double bistable = mean_of(cells([](double p, double, int, int) { return p - p * p * p; }));
        const double weighted =
            mean_of(cells([&](double p, double, int i, int j) { return (i + 0.5) / grid.nx * p * (0.5 + (j + 0.5) / grid.ny); })) *
            grid.nx * grid.ny * h * h;
        const double square = mean_of(cells([&](double p, double, int, int) { return p * p * std::cos(t); }));
        const double steep = mean_of(cells([&](double, double, int i, int j) {
            const double x = (u.at(i + 1, j) - u.at(i - 1, j)) / (2 * h), y = (u.at(i, j + 1) - u.at(i, j - 1)) / (2 * h);
            return x * x + y * y;
        }));
        const double spread = mean_of(cells([&](double, double q, int, int) { return (q - mean_v) * (q - mean_v); }));
        return Fields{cells([&](double p, double, int i, int j) {
                          return mean_v * grid.lap5(u, i, j) + p - p * p * p - bistable + 0.02 * weighted * std::sin(3 * t);
                      }),
                      cells([&](double p, double q, int i, int j) {
                          return (0.1 + square) * grid.lap5(v, i, j) - 0.3 * q * steep + (spread > 0.05 ? 0.2 : -0.1) * p;
                      })};
    };
    for (const char* device : {"reference", "cpu"}) {
        if (lacks(device)) continue;
        const Outcome outcome = run_mottle(text, "", "size = \"21x17\"\nspacing = 0.75\ndt = 0.0625\n" + method(), steps, device);
        Fields expected = outcome.start;
        for (int step = 0; step < steps; ++step) {
            expected = step_by(
                GetParam(), expected, step * dt, dt, [&](const Fields& f, double t) { return rate(outcome.grid, f, t); },
                [](Fields f, double) { return f; });
            for (double& q : expected[1]) q = std::clamp(q, 0.05, 0.9);
        }
        expect_agreement(outcome, expected);
    }
}

// Area by area, from the faces.
TEST_P(Sums, FollowThePlainLoopOnSurfaces) {
    const mottle::domain::Mesh mesh = shape("torus:3,1,20", 1.5);
    const plain::PlainMesh geometry = plain_of(mesh);
    std::vector<double> area(geometry.position.size());
    long double whole = 0;
    for (const auto& face : geometry.faces) {
        std::array<double, 3> a{}, b{};
        for (std::size_t d = 0; d < 3; ++d) {
            const double origin = geometry.position[static_cast<std::size_t>(face[0])][d];
            a[d] = geometry.position[static_cast<std::size_t>(face[1])][d] - origin;
            b[d] = geometry.position[static_cast<std::size_t>(face[2])][d] - origin;
        }
        const double twice = std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
        for (const auto vertex : face) area[static_cast<std::size_t>(vertex)] += twice / 6;
        whole += twice / 2;
    }
    const auto integral = [&](const auto& value) {
        long double sum = 0;
        for (std::size_t i = 0; i < area.size(); ++i) sum += area[i] * value(i);
        return static_cast<double>(sum);
    };
    const double dt = 0.02;
    const auto rate = [&](const MeshFields& f, double t) {
        const auto lu = plain::laplacian(geometry, f[0]);
        const double all = integral([&](std::size_t i) { return f[0][i] * std::cos(t); });
        const double mean = static_cast<double>(integral([&](std::size_t i) { return f[0][i]; }) / whole);
        MeshFields k = f;
        for (std::size_t i = 0; i < area.size(); ++i) k[0][i] = 0.2 * lu[i] + f[0][i] * (mean - f[0][i]) + 0.001 * all;
        return k;
    };
    const MeshFields start = {sample(mesh, [](double x, double y, double z) { return 1 + 0.5 * std::sin(0.7 * x + 0.4 * y) + 0.1 * z; })};
    MeshFields expected = start;
    for (int step = 0; step < 30; ++step)
        expected = step_by(GetParam(), expected, step * dt, dt, rate, [](MeshFields f, double) { return f; });
    const std::string model = "method.name = '" + std::string(GetParam()) + R"toml('
[equations]
u = "0.2*lap(u) + u*(mean(u) - u) + 0.001*integral(u*cos(t))"
[initial]
u = "1"
)toml";
    for (const char* device : {"reference", "auto"}) {
        const MeshFields end = run_on_mesh({model, mesh, dt, device, ""}, start, 30);
        for (std::size_t i = 0; i < area.size(); ++i) ASSERT_NEAR(end[0][i], expected[0][i], 1e-12) << i;
        EXPECT_NE(end[0][0], start[0][0]);
    }
}

// All cells alike: an ordinary differential equation, the logistic one.
TEST_P(Sums, UniformStatesFollowTheirExactSolution) {
    const std::string text = R"toml(
equations.u = "0.1*lap(u) + u*(1 - mean(u))"
initial.u = "0.1"
)toml";
    const auto error = [&](int steps) {
        const Outcome outcome =
            run_mottle(text, "", "size = \"9x7\"\ndt = " + std::to_string(4.0 / steps) + "\n" + method(), steps, "auto");
        for (const double u : outcome.end[0]) EXPECT_EQ(u, outcome.end[0][0]);
        return std::abs(outcome.end[0][0] - 1 / (1 + 9 * std::exp(-4.0)));
    };
    const double order = std::string(GetParam()) == "euler" ? 1 : std::string(GetParam()) == "rk4" ? 4 : 2;
    EXPECT_NEAR(std::log2(error(32) / error(64)), order, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Methods, Sums, testing::Values("euler", "midpoint", "heun", "rk4"));

// Rubinstein and Sternberg 1992: what the reaction makes in all cells together is taken away again.
TEST(Sums, MassConservingAllenCahnKeepsItsMean) {
    const std::string text = R"toml(
equations.u = "0.5*lap(u) + u - u^3 - mean(u - u^3)"
initial.u = "noise(-0.3, 0.5)"
)toml";
    for (const char* boundary : {"periodic", "no-flux"}) {
        const std::string settings = "size = \"48x40\"\ndt = 0.1\nboundary = \"" + std::string(boundary) + "\"\n";
        const Outcome wide = run_mottle(text, "", settings, 4000, "auto", "f64");
        EXPECT_NEAR(mean_of(wide.end[0]), mean_of(wide.start[0]), 1e-13);
        const Outcome narrow = run_mottle(text, "", settings, 4000, "auto", "f32");
        EXPECT_NEAR(mean_of(narrow.end[0]), mean_of(narrow.start[0]), 1e-5);
        double low = 1, high = -1;
        for (const double u : wide.end[0]) low = std::min(low, u), high = std::max(high, u);
        EXPECT_LT(low, -0.9);
        EXPECT_GT(high, 0.9);
    }
}

}  // namespace sums_test
}  // namespace oracle
