// tests/oracle/schnakenberg_test.cpp: the Schnakenberg model against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace schnakenberg_test {

struct Case {
    const char* preset;
    double a, b, d, gamma, dt;
    double h = 1;
};
constexpr Case kCases[] = {{"spots", .02, 1.4, 40, 1, .005},
                           {"labyrinth", .1, .9, 10, 1, .02},
                           {"dots-and-dashes", .05, .95, 10, .5, .02},
                           {"crowded", .2, 1.3, 40, 1, .005}};

TEST(Schnakenberg, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:schnakenberg", c.preset,
                       "size = \"40x31\"\ninitial = { u = \"1 + noise(-0.3, 0.3)\", v = \"0.8 + noise(-0.3, 0.3)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]), v = g.ghosted(f[1]);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return g.lap5(u, i, j) + c.gamma * (c.a - p + p * p * q);
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return c.d * g.lap5(v, i, j) + c.gamma * (c.b - p * p * q);
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace schnakenberg_test
}  // namespace oracle
