// tests/oracle/barkley_test.cpp: Barkley's model against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace barkley_test {

struct Case {
    const char* preset;
    double a, b, h;
    bool closed;
    double dt = .01;
};
constexpr Case kCases[] = {
    {"spirals", .75, .02, .5, false}, {"spiral", .75, .01, .25, true}, {"meander", .58, .05, .25, true}, {"sparse", .6, .03, .5, false}};

TEST(Barkley, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:barkley", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(0, 1)\", v = \"noise(0, 0.6)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Sides sides = all_sides(c.closed ? Rule::no_flux : Rule::periodic);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0], sides), v = g.ghosted(f[1], sides);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return g.lap5(u, i, j) + p * (1 - p) * (p - (q + c.b) / c.a) / 0.02;
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return p - q;
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace barkley_test
}  // namespace oracle
