// tests/oracle/operators_test.cpp: every differential operator against plain loops
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace operators_test {

struct Place {
    const Grid& grid;
    const Fields& fields;
    Sides u_sides, v_sides;
};
using Rates = Fields (*)(const Place&, const Ghosted& u, const Ghosted& v);

class Operators : public testing::TestWithParam<const char*> {
   protected:
    /// u' and v' as text against plain rates, on unequal spacing, with periodic sides and with sides of every kind.
    void check(const std::string& du, const std::string& dv, Rates rates, double dt = 0.01, const std::string& extra = "",
               bool equal_spacing = false) {
        if (lacks(GetParam())) GTEST_SKIP() << "no compiled kernels in this build";
        const std::string text = "[equations]\nu = \"" + du + "\"\nv = \"" + dv +
                                 "\"\n[parameters]\nD = 0.4\n[initial]\nu = \"noise(0.5, 1.5)\"\nv = \"noise(0.2, 1.2)\"\n";
        const std::string grid_text = std::string("size = \"24x19\"\nspacing = ") + (equal_spacing ? "0.8" : "[0.8, 1.1]") +
                                      "\ndt = " + std::to_string(dt) + "\n" + extra;
        const Sides mixed = {Side{Rule::value, 0.6}, Side{Rule::no_flux, 0}, Side{Rule::outside, 0.9}, Side{Rule::value, 1.1}};
        const std::string mixed_text =
            "boundary = { left = \"value(0.6)\", right = \"no-flux\", top = \"outside(0.9)\", bottom = \"value(1.1)\" }\n";
        run(text, grid_text, all_sides(Rule::periodic), rates, dt);
        run(text, grid_text + "boundary = \"no-flux\"\n", all_sides(Rule::no_flux), rates, dt);
        run(text, grid_text + mixed_text, mixed, rates, dt);
        run(text, grid_text + "boundary = \"still\"\n", all_sides(Rule::still), rates, dt);
    }

   private:
    void run(const std::string& text, const std::string& settings, const Sides& sides, Rates rates, double dt) {
        SCOPED_TRACE(settings);
        const Outcome outcome = run_mottle(text, "", settings, 50, GetParam());
        const Fields expected = advance(outcome.start, dt, 50, [&](const Fields& f, double) {
            const Place place{outcome.grid, f, sides, sides};
            return rates(place, outcome.grid.ghosted(f[0], sides), outcome.grid.ghosted(f[1], sides));
        });
        expect_agreement(outcome, expected);
    }
};

double square(double x) { return x * x; }
/// A held value with the homogeneous form of its field's rule.
Ghosted held(const Place& p, const Cells& cells) { return p.grid.ghosted(cells, homogeneous(p.u_sides)); }

TEST_P(Operators, FirstDerivatives) {
    check("0.3*lap(u) + 0.5*dx(u) - 0.25*dy(v)", "0.2*lap(v) + u*dx(v) + v*dy(u)", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        return Fields{
            g.cells([&](int i, int j) { return 0.3 * g.lap5(u, i, j) + 0.5 * g.dx(u, i, j) - 0.25 * g.dy(v, i, j); }),
            g.cells([&](int i, int j) { return 0.2 * g.lap5(v, i, j) + u.at(i, j) * g.dx(v, i, j) + v.at(i, j) * g.dy(u, i, j); })};
    });
}

TEST_P(Operators, DotOfGradients) {
    check("lap(u) + dot(grad(u), grad(v))", "0.5*lap(v) - 0.3*u*norm2(grad(v)) + 0.1*norm2(grad(u))",
          [](const Place& p, const Ghosted& u, const Ghosted& v) {
              const Grid& g = p.grid;
              return Fields{
                  g.cells([&](int i, int j) { return g.lap5(u, i, j) + g.dx(u, i, j) * g.dx(v, i, j) + g.dy(u, i, j) * g.dy(v, i, j); }),
                  g.cells([&](int i, int j) {
                      const double of_v = square(g.dx(v, i, j)) + square(g.dy(v, i, j)),
                                   of_u = square(g.dx(u, i, j)) + square(g.dy(u, i, j));
                      return 0.5 * g.lap5(v, i, j) - 0.3 * u.at(i, j) * of_v + 0.1 * of_u;
                  })};
          });
}

TEST_P(Operators, LaplacianOfAnExpression) {
    check("lap(u^2)", "0.5*lap(v^3 - v) - 0.1*v", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        const Ghosted a = u.mapped(square), b = v.mapped([](double x) { return x * x * x - x; });  // of ghosts, too
        return Fields{g.cells([&](int i, int j) { return g.lap5(a, i, j); }),
                      g.cells([&](int i, int j) { return 0.5 * g.lap5(b, i, j) - 0.1 * v.at(i, j); })};
    });
}

TEST_P(Operators, LaplacianOfTwoFields) {
    check("lap(u*v)", "0.3*lap(v) + 0.1*u", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        const Ghosted a = u.joined(v, [](double x, double y) { return x * y; });
        return Fields{g.cells([&](int i, int j) { return g.lap5(a, i, j); }),
                      g.cells([&](int i, int j) { return 0.3 * g.lap5(v, i, j) + 0.1 * u.at(i, j); })};
    });
}

TEST_P(Operators, LaplacianOfALaplacian) {
    check("-0.2*bilap(u) + 0.1*u", "-0.1*lap(v^2 - 0.5*lap(v))", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        const Ghosted a = held(p, g.cells([&](int i, int j) { return g.lap5(u, i, j); }));
        const Ghosted b = held(p, g.cells([&](int i, int j) { return square(v.at(i, j)) - 0.5 * g.lap5(v, i, j); }));
        return Fields{g.cells([&](int i, int j) { return -0.2 * g.lap5(a, i, j) + 0.1 * u.at(i, j); }),
                      g.cells([&](int i, int j) { return -0.1 * g.lap5(b, i, j); })};
    });
}

TEST_P(Operators, BilaplacianOfTheNinePointStencil) {
    check(
        "-0.2*bilap(u)", "0.5*lap(v) - 0.1*u",
        [](const Place& p, const Ghosted& u, const Ghosted& v) {
            const Grid& g = p.grid;
            const Ghosted a = held(p, g.cells([&](int i, int j) { return g.lap9(u, i, j); }));
            return Fields{g.cells([&](int i, int j) { return -0.2 * g.lap9(a, i, j); }),
                          g.cells([&](int i, int j) { return 0.5 * g.lap9(v, i, j) - 0.1 * u.at(i, j); })};
        },
        0.01, "stencil = 9\n", true);
}

TEST_P(Operators, DerivativesOfAnExpression) {
    check("0.3*lap(u) + dx(u*v) - dy(v^2)", "0.3*lap(v) + dot(grad(u^2), grad(v))", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        const Ghosted a = u.joined(v, [](double x, double y) { return x * y; }), b = v.mapped(square), c = u.mapped(square);
        return Fields{
            g.cells([&](int i, int j) { return 0.3 * g.lap5(u, i, j) + g.dx(a, i, j) - g.dy(b, i, j); }),
            g.cells([&](int i, int j) { return 0.3 * g.lap5(v, i, j) + g.dx(c, i, j) * g.dx(v, i, j) + g.dy(c, i, j) * g.dy(v, i, j); })};
    });
}

TEST_P(Operators, DiffusionByAField) {
    check("div(v*grad(u))", "div(u*grad(v)) - 0.2*div(v*grad(v))", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        return Fields{g.cells([&](int i, int j) { return g.div_grad(v, u, i, j); }),
                      g.cells([&](int i, int j) { return g.div_grad(u, v, i, j) - 0.2 * g.div_grad(v, v, i, j); })};
    });
}

TEST_P(Operators, DiffusionByAnExpressionOfFields) {
    check("div((0.2 + u^2)*grad(u))", "div(D*u*v*grad(v))", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        const Ghosted a = u.mapped([](double x) { return 0.2 + x * x; });
        const Ghosted b = u.joined(v, [](double x, double y) { return 0.4 * x * y; });
        return Fields{g.cells([&](int i, int j) { return g.div_grad(a, u, i, j); }),
                      g.cells([&](int i, int j) { return g.div_grad(b, v, i, j); })};
    });
}

TEST_P(Operators, DiffusionByAUniformIsDTimesTheLaplacian) {
    check("div(D*grad(u)) - 0.1*u*v", "2*div(grad(v)) + 0.1*u*v", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        return Fields{g.cells([&](int i, int j) { return 0.4 * g.lap5(u, i, j) - 0.1 * u.at(i, j) * v.at(i, j); }),
                      g.cells([&](int i, int j) { return 2 * g.lap5(v, i, j) + 0.1 * u.at(i, j) * v.at(i, j); })};
    });
}

TEST_P(Operators, DiffusionThatLooksAtNeighboursIsHeld) {
    check("div(norm2(grad(u))*grad(u))", "0.5*lap(v) + 0.1*u", [](const Place& p, const Ghosted& u, const Ghosted& v) {
        const Grid& g = p.grid;
        Sides sides = p.u_sides;  // an operator in a conductivity mirrors
        for (Side& side : sides) side = {side.rule == Rule::periodic ? Rule::periodic : Rule::no_flux};
        const Ghosted d = g.ghosted(g.cells([&](int i, int j) { return square(g.dx(u, i, j)) + square(g.dy(u, i, j)); }), sides);
        return Fields{g.cells([&](int i, int j) { return g.div_grad(d, u, i, j); }),
                      g.cells([&](int i, int j) { return 0.5 * g.lap5(v, i, j) + 0.1 * u.at(i, j); })};
    });
}

INSTANTIATE_TEST_SUITE_P(, Operators, testing::Values("reference", "cpu"), [](const auto& device) { return std::string(device.param); });

}  // namespace operators_test
}  // namespace oracle
