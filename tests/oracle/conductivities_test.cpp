// tests/oracle/conductivities_test.cpp: div(D*grad(f)) beside borders, D made of operators, places and maps, against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace conductivities_test {

Side value(double c) { return {Rule::value, c}; }
Side outside(double c) { return {Rule::outside, c}; }
Side flux(double g) { return {Rule::flux, g}; }
Side robin(double a, double b, double c) { return {Rule::robin, c, a, b}; }

/// What operators in D are beyond a border: the mirror image, but the other side where the field wraps.
Sides mirrored(Sides sides) {
    for (Side& side : sides) side = {side.rule == Rule::periodic ? Rule::periodic : Rule::no_flux};
    return sides;
}

class Conductivities : public testing::TestWithParam<const char*> {
   protected:
    void SetUp() override {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
    }

    /// D of u holds an operator and a field, D of v an operator alone.
    void check_operators(const std::string& boundary, const Sides& u_sides, const Sides& v_sides) {
        const std::string text =
            "[equations]\nu = \"div((0.4 + 0.1*v + 0.05*lap(v))*grad(u))\"\nv = \"div(0.5/(1 + norm2(grad(u)))*grad(v)) + 0.1*u\"\n"
            "[initial]\nu = \"noise(0, 1)\"\nv = \"noise(0, 1)\"\n";
        const Outcome outcome = run_mottle(text, "", "size = \"19x13\"\nspacing = \"1.25,0.8\"\ndt = 0.03125\n" + boundary, 45, GetParam());
        const Grid& grid = outcome.grid;
        const Fields expected = advance(outcome.start, outcome.dt, 45, [&](const Fields& f, double) {
            const Ghosted u = grid.ghosted(f[0], u_sides), v = grid.ghosted(f[1], v_sides);
            const Cells bend = grid.cells([&](int i, int j) { return grid.lap5(v, i, j); });
            const Cells slope = grid.cells([&](int i, int j) { return std::pow(grid.dx(u, i, j), 2) + std::pow(grid.dy(u, i, j), 2); });
            const Ghosted of_u =
                v.joined(grid.ghosted(bend, mirrored(v_sides)), [](double a, double b) { return 0.4 + 0.1 * a + 0.05 * b; });
            const Ghosted of_v = grid.ghosted(slope, mirrored(u_sides)).mapped([](double s) { return 0.5 / (1 + s); });
            Cells du = grid.cells([&](int i, int j) { return grid.div_grad(of_u, u, i, j); });
            Cells dv = grid.cells([&](int i, int j) { return grid.div_grad(of_v, v, i, j) + 0.1 * u.at(i, j); });
            return Fields{du, dv};
        });
        expect_agreement(outcome, expected);
    }
};

TEST_P(Conductivities, OperatorsUnderValues) {
    const Sides sides{value(1), value(0.2), value(-0.5), value(0.7)};
    check_operators("boundary = { left = \"value(1)\", right = \"value(0.2)\", top = \"value(-0.5)\", bottom = \"value(0.7)\" }\n", sides,
                    sides);
}

TEST_P(Conductivities, OperatorsUnderEveryRule) {
    const Sides sides{outside(1), robin(1, 0.5, 0.8), flux(0.25), value(0.7)};
    check_operators("boundary = { left = \"outside(1)\", right = \"robin(1,0.5,0.8)\", top = \"flux(0.25)\", bottom = \"value(0.7)\" }\n",
                    sides, sides);
}

TEST_P(Conductivities, OperatorsOfFieldsWithRulesOfTheirOwn) {
    const Sides of_u{Side{Rule::periodic}, Side{Rule::periodic}, value(1), Side{Rule::no_flux}};
    const Sides of_v{Side{Rule::periodic}, Side{Rule::periodic}, flux(0.3), robin(2, 1, 1)};
    check_operators(
        "boundary = { left = \"periodic\", right = \"periodic\", top = \"value(1)\", bottom = \"no-flux\", "
        "v = { top = \"flux(0.3)\", bottom = \"robin(2,1,1)\" } }\n",
        of_u, of_v);
}

/// A tiny coefficient leaves constant diffusion: the border lets in as much as it does of a field.
TEST_P(Conductivities, BordersOfOperatorsDoNotInsulate) {
    const std::string text =
        "[equations]\nv = \"div((1 + eps*lap(v))*grad(v))\"\nw = \"div((1 + eps*dx(w))*grad(w))\"\n[parameters]\neps = 1e-9\n"
        "[initial]\nv = 0\nw = 0\n";
    const Outcome outcome =
        run_mottle(text, "", "size = \"32x1\"\ndt = 0.1\nboundary = { left = \"value(1)\", right = \"no-flux\" }\n", 1000, GetParam());
    Cells cells(32);
    for (int step = 0; step < 1000; ++step) {
        const Cells old = cells;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const double left = i == 0 ? 2 - old[0] : old[i - 1], right = i + 1 == cells.size() ? old[i] : old[i + 1];
            cells[i] = old[i] + 0.1 * (left - 2 * old[i] + right);
        }
    }
    expect_agreement(outcome, {cells, cells}, 1e-6);
}

/// Places in D are those of the face where the border's rule is one of the slope; a map is continued by half a cell.
TEST_P(Conductivities, PlacesOnTheFacesOfSlopes) {
    const std::string text =
        "[equations]\nu = \"div((0.1 + 0.3*X*(1.5 - Y))*grad(u))\"\nv = \"div((m + 0.2*v)*grad(v)) + div(X*v*grad(u))\"\n"
        "[parameters]\nm = \"0.1 + 0.4*exp(-2*X)*(1 + Y)\"\n[initial]\nu = \"noise(0, 1)\"\nv = \"noise(0, 1)\"\n";
    const Sides sides{flux(0.5), robin(1, 0.5, 0.8), robin(0.5, 1, -0.3), flux(-0.2)};
    const Outcome outcome = run_mottle(text, "",
                                       "size = \"11x9\"\nspacing = \"1.25,0.8\"\ndt = 0.03125\nboundary = { left = \"flux(0.5)\", right = "
                                       "\"robin(1,0.5,0.8)\", top = \"robin(0.5,1,-0.3)\", bottom = \"flux(-0.2)\" }\n",
                                       45, GetParam());
    const Grid& grid = outcome.grid;
    const auto map = [&](int i, int j) { return 0.1 + 0.4 * std::exp(-2 * (i + 0.5) / grid.nx) * (1 + (j + 0.5) / grid.ny); };
    /// div(D grad f): d(X, Y, m, v) is evaluated in both cells of a face; on a border at the place of the face, with the field of each.
    const auto div_grad = [&](auto d, const Ghosted& v, const Ghosted& f, int i, int j) {
        double sum = 0;
        for (const auto& [di, dj] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            const int k = i + di, l = j + dj;
            const bool border = k < 0 || k >= grid.nx || l < 0 || l >= grid.ny;
            double mean = 0;
            if (border) {
                const double X = (i + 0.5 + 0.5 * di) / grid.nx, Y = (j + 0.5 + 0.5 * dj) / grid.ny;
                const double m = map(i, j) + 0.5 * (map(i, j) - map(i - di, j - dj));
                mean = 0.5 * (d(X, Y, m, v.at(i, j)) + d(X, Y, m, v.at(k, l)));
            } else {
                mean = 0.5 * (d((i + 0.5) / grid.nx, (j + 0.5) / grid.ny, map(i, j), v.at(i, j)) +
                              d((k + 0.5) / grid.nx, (l + 0.5) / grid.ny, map(k, l), v.at(k, l)));
            }
            const double h = di != 0 ? grid.hx : grid.hy;
            sum += mean * (f.at(k, l) - f.at(i, j)) / (h * h);
        }
        return sum;
    };
    const Fields expected = advance(outcome.start, outcome.dt, 45, [&](const Fields& f, double) {
        const Ghosted u = grid.ghosted(f[0], sides), v = grid.ghosted(f[1], sides);
        const auto of_u = [](double X, double Y, double, double) { return 0.1 + 0.3 * X * (1.5 - Y); };
        const auto of_v = [](double, double, double m, double w) { return m + 0.2 * w; };
        const auto carried = [](double X, double, double, double w) { return X * w; };
        Cells du = grid.cells([&](int i, int j) { return div_grad(of_u, v, u, i, j); });
        Cells dv = grid.cells([&](int i, int j) { return div_grad(of_v, v, v, i, j) + div_grad(carried, v, u, i, j); });
        return Fields{du, dv};
    });
    expect_agreement(outcome, expected);
}

/// A map that falls to the border by more than its own size is not continued to what is negative: half of the cell's value is the least.
TEST_P(Conductivities, JumpsOfMapsKeepTheirSign) {
    const std::string text = "[equations]\nu = \"div(m*grad(u))\"\n[parameters]\nm = \"where(x < 1, 0.1, 1)\"\n[initial]\nu = 0\n";
    const Outcome outcome =
        run_mottle(text, "", "size = \"8x1\"\ndt = 0.125\nboundary = { left = \"flux(1)\", right = \"no-flux\" }\n", 64, GetParam());
    double sum = 0;
    for (const double u : outcome.end[0]) sum += u;
    EXPECT_NEAR(sum, 0.05 * 64 * 0.125, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Backends, Conductivities, testing::Values("reference", "cpu"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace conductivities_test
}  // namespace oracle
