// tests/oracle/gray_scott_test.cpp: the Gray-Scott model and the F, k of each of its presets against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace gray_scott_test {

struct Case {
    const char* preset;
    double F, k;
    double dt = 1, h = 1;
};
// The values of Pearson's classes and of the named patterns as published.
constexpr Case kCases[] = {{"coral", .0545, .062},
                           {"fingerprints", .037, .06},
                           {"mazes", .029, .057},
                           {"mitosis", .0367, .0649},
                           {"worms", .078, .061},
                           {"solitons", .03, .062},
                           {"pulsating-solitons", .025, .06},
                           {"chaos", .026, .051},
                           {"holes", .039, .058},
                           {"moving-spots", .014, .054},
                           {"spots-and-loops", .018, .051},
                           {"waves", .014, .045},
                           {"warring-microbes", .022, .059},
                           {"worms-and-loops", .082, .06},
                           {"stable-solitons", .074, .064},
                           {"negatons", .046, .0594},
                           {"bubbles", .098, .0555},
                           {"soap-bubbles", .098, .057},
                           {"u-skate", .062, .0609},
                           {"alpha", .010, .047},
                           {"beta", .014, .039},
                           {"gamma", .022, .051},
                           {"delta", .030, .055},
                           {"delta-stripes", .042, .059},
                           {"epsilon", .018, .055},
                           {"zeta", .022, .061},
                           {"eta", .034, .063},
                           {"theta", .038, .061},
                           {"iota", .046, .0594},
                           {"kappa", .050, .063},
                           {"lambda", .034, .065},
                           {"mu", .058, .065},
                           {"nu", .054, .067},
                           {"xi", .014, .047},
                           {"pi", .062, .0609},
                           {"rho", .110, .053},
                           {"rho-droplets", .102, .055},
                           {"sigma", .110, .0523}};

TEST(GrayScott, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:gray-scott", c.preset,
                                           "size = \"40x31\"\ninitial = { u = \"noise(0.2, 1)\", v = \"noise(0, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]), v = g.ghosted(f[1]);
            return Fields{g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return 0.2097 * g.lap5(u, i, j) - p * q * q + c.F * (1 - p);
                          }),
                          g.cells([&](int i, int j) {
                              const double p = u.at(i, j), q = v.at(i, j);
                              return 0.105 * g.lap5(v, i, j) + p * q * q - (c.F + c.k) * q;
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace gray_scott_test
}  // namespace oracle
