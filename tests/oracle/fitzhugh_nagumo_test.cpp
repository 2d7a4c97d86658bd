// tests/oracle/fitzhugh_nagumo_test.cpp: the FitzHugh-Nagumo model against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace fitzhugh_nagumo_test {

struct Case {
    const char* preset;
    double Du, Dv, eps, a1, a0, dt;
    bool closed = false;
    double h = 1;
};
constexpr Case kCases[] = {{"spirals", .4, 0, .03, .5, -.5, .1}, {"spiral", 1, 0, .03, .3, -.6, .1, true},
                           {"labyrinth", 1, 20, 4, .5, 0, .01},  {"spots", 1, 20, 4, .5, .1, .01},
                           {"fingers", 1, 4, .05, 2, -.1, .03},  {"splitting-fronts", 1, 2.5, .02, 2, -.1, .03}};

TEST(FitzHughNagumo, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:fitzhugh-nagumo", c.preset,
                                           "size = \"40x31\"\ninitial = { u = \"noise(-1, 1)\", v = \"noise(-0.5, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Sides sides = all_sides(c.closed ? Rule::no_flux : Rule::periodic);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0], sides), v = g.ghosted(f[1], sides);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return c.Du * g.lap5(u, i, j) + p - p * p * p - q;
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return c.Dv * g.lap5(v, i, j) + c.eps * (p - c.a1 * q - c.a0);
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace fitzhugh_nagumo_test
}  // namespace oracle
