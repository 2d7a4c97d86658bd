// tests/oracle/stencils_test.cpp: every Laplacian stencil against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace oracle {
namespace stencils_test {

std::string exact_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

class Stencils : public testing::TestWithParam<const char*> {
   protected:
    /// Heat with a cubic source on a grid with `settings`, against the Laplacian `lap`.
    template <class Laplacian>
    void check(const std::string& settings, double dt, Laplacian lap) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        const std::string text =
            "[equations]\nu = \"D*lap(u) + 0.1*u - u^3\"\n[parameters]\nD = 0.7\n[initial]\nu = \"noise(-1, 1) + 0.5*X\"\n";
        const Outcome outcome = run_mottle(text, "", settings + "dt = " + exact_text(dt) + "\n", 50, GetParam());
        const Grid& grid = outcome.grid;
        const Fields expected = advance(outcome.start, dt, 50, [&](const Fields& f, double) {
            const Ghosted u = grid.ghosted(f[0]);
            return Fields{grid.cells(
                [&](int i, int j) { return 0.7 * lap(grid, u, i, j) + 0.1 * u.at(i, j) - u.at(i, j) * u.at(i, j) * u.at(i, j); })};
        });
        expect_agreement(outcome, expected);
    }
};

double five(const Grid& grid, const Ghosted& u, int i, int j) { return grid.lap5(u, i, j); }
double nine(const Grid& grid, const Ghosted& u, int i, int j) { return grid.lap9(u, i, j); }

TEST_P(Stencils, FivePoints) { check("size = \"37x23\"\n", 0.125, five); }
TEST_P(Stencils, FivePointsWithASpacing) { check("size = \"37x23\"\nspacing = 0.3\n", 0.0078125, five); }
TEST_P(Stencils, FivePointsWithUnequalSpacing) { check("size = \"19x41\"\nspacing = [0.5, 1.7]\n", 0.03125, five); }
TEST_P(Stencils, FivePointsWiderThanAVector) { check("size = \"517x9\"\n", 0.125, five); }
TEST_P(Stencils, NinePoints) { check("size = \"37x23\"\nstencil = 9\n", 0.125, nine); }
TEST_P(Stencils, NinePointsWithASpacing) { check("size = \"26x31\"\nstencil = 9\nspacing = 1.5\n", 0.25, nine); }

TEST_P(Stencils, ARowHasNoSecondAxis) {
    check("size = \"61x1\"\nspacing = 0.5\n", 0.0625, [](const Grid& grid, const Ghosted& u, int i, int) {
        return (u.at(i - 1, 0) - 2 * u.at(i, 0) + u.at(i + 1, 0)) / (grid.hx * grid.hx);
    });
}

TEST_P(Stencils, AColumnHasNoFirstAxis) {
    check("size = \"1x61\"\nspacing = 0.5\n", 0.0625, [](const Grid& grid, const Ghosted& u, int, int j) {
        return (u.at(0, j - 1) - 2 * u.at(0, j) + u.at(0, j + 1)) / (grid.hy * grid.hy);
    });
}

TEST_P(Stencils, CustomOfTheJuliaArticle) {
    check("size = \"37x23\"\nstencil = [0.05, 0.2, 0.05, 0.2, -1, 0.2, 0.05, 0.2, 0.05]\n", 0.25,
          [](const Grid& grid, const Ghosted& u, int i, int j) {
              return grid.lap_custom(u, i, j, {0.05, 0.2, 0.05, 0.2, -1, 0.2, 0.05, 0.2, 0.05});
          });
}

TEST_P(Stencils, CustomSymmetricThatIsNoProduct) {
    check("size = \"33x18\"\nstencil = \"0.1,0.3,0.1,0.3,-1.7,0.3,0.1,0.3,0.1\"\n", 0.125,
          [](const Grid& grid, const Ghosted& u, int i, int j) {
              return grid.lap_custom(u, i, j, {0.1, 0.3, 0.1, 0.3, -1.7, 0.3, 0.1, 0.3, 0.1});
          });
}

TEST_P(Stencils, CustomWeightsIgnoreTheSpacing) {
    check("size = \"33x18\"\nspacing = 0.5\nstencil = \"0,0.25,0,0.25,-1,0.25,0,0.25,0\"\n", 0.125,
          [](const Grid& grid, const Ghosted& u, int i, int j) {
              return grid.lap_custom(u, i, j, {0, 0.25, 0, 0.25, -1, 0.25, 0, 0.25, 0});
          });
}

TEST_P(Stencils, CustomWithoutSymmetryRowByRowFromTheTop) {
    check("size = \"29x34\"\nstencil = [0.01, 0.12, 0.05, 0.3, -0.9, 0.1, 0.02, 0.25, 0.07]\n", 0.25,
          [](const Grid& grid, const Ghosted& u, int i, int j) {
              return grid.lap_custom(u, i, j, {0.01, 0.12, 0.05, 0.3, -0.9, 0.1, 0.02, 0.25, 0.07});
          });
}

// A stencil of one side reads one end of a row, or the rows of one side, alone.
TEST_P(Stencils, CustomOfOneSide) {
    struct Side {
        const char* weights;
        int x, y;
    };
    for (const Side& side : {Side{"0,0,0,0.5,-0.5,0,0,0,0", -1, 0}, Side{"0,0,0,0,-0.5,0.5,0,0,0", 1, 0},
                             Side{"0,0.5,0,0,-0.5,0,0,0,0", 0, -1}, Side{"0,0,0,0,-0.5,0,0,0.5,0", 0, 1}}) {
        for (const char* size : {"37x23", "518x9"}) {
            SCOPED_TRACE(std::string(side.weights) + " " + size);
            check("size = \"" + std::string(size) + "\"\nstencil = \"" + side.weights + "\"\n", 0.25,
                  [&](const Grid&, const Ghosted& u, int i, int j) { return 0.5 * (u.at(i + side.x, j + side.y) - u.at(i, j)); });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, Stencils, testing::Values("reference", "cpu"), [](const auto& device) { return std::string(device.param); });

}  // namespace stencils_test
}  // namespace oracle
