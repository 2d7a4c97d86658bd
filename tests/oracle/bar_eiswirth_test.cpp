// tests/oracle/bar_eiswirth_test.cpp: the Bar-Eiswirth model against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace bar_eiswirth_test {

struct Case {
    const char* preset;
    double eps;
    bool closed;
    double dt = .01, h = .5;
};
constexpr Case kCases[] = {{"break-up", .075, true}, {"turbulence", .075, false}, {"stable", .04, true}};

double production(double u) {
    if (u < 1.0 / 3.0) return 0;
    return u > 1 ? 1 : 1 - 6.75 * u * (u - 1) * (u - 1);
}

TEST(BarEiswirth, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:bar-eiswirth", c.preset,
                                           "size = \"40x31\"\ninitial = { u = \"noise(-0.1, 1.1)\", v = \"noise(0, 0.6)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Sides sides = all_sides(c.closed ? Rule::no_flux : Rule::periodic);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0], sides), v = g.ghosted(f[1], sides);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return g.lap5(u, i, j) + p * (1 - p) * (p - (q + 0.07) / 0.84) / c.eps;
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return production(p) - q;
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace bar_eiswirth_test
}  // namespace oracle
