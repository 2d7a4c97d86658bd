// tests/oracle/brusselator_test.cpp: the Brusselator against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace brusselator_test {

struct Case {
    const char* preset;
    double Du, Dv, A, B, dt, h;
};
constexpr Case kCases[] = {{"spirals", 1, 0, 1, 2.6, .05, 1},
                           {"stripes", 2, 16, 4.5, 7.5, .0035, .5},
                           {"hexagons", 5, 12, 3, 9, .005, .5},
                           {"labyrinth", 4, 10, 3, 10.2, .005, .5}};

TEST(Brusselator, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:brusselator", c.preset,
                       "size = \"40x31\"\ninitial = { u = \"A + noise(-0.5, 0.5)\", v = \"B/A + noise(-0.5, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]), v = g.ghosted(f[1]);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return c.Du * g.lap5(u, i, j) + c.A - (c.B + 1) * p + p * p * q;
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return c.Dv * g.lap5(v, i, j) + c.B * p - p * p * q;
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace brusselator_test
}  // namespace oracle
