// tests/oracle/gierer_meinhardt_test.cpp: the Gierer-Meinhardt model against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace gierer_meinhardt_test {

struct Case {
    const char* preset;
    double Dh, kappa, dt;
    double h = .5;
};
constexpr Case kCases[] = {{"stripes", 20, .2, .0025}, {"peaks", 10, 0, .005}, {"holes", 20, .4, .0025}};

TEST(GiererMeinhardt, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:gierer-meinhardt", c.preset,
                       "size = \"40x31\"\ninitial = { a = \"1 + noise(-0.3, 0.3)\", h = \"1 + noise(-0.3, 0.3)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted a = g.ghosted(f[0]), b = g.ghosted(f[1]);
            return Fields{g.cells([&](int i, int j) {
                              const double p = a.at(i, j), q = b.at(i, j);
                              return 0.5 * g.lap5(a, i, j) + p * p / (q * (1 + c.kappa * p * p)) - p + 0.01;
                          }),
                          g.cells([&](int i, int j) {
                              const double p = a.at(i, j), q = b.at(i, j);
                              return c.Dh * g.lap5(b, i, j) + p * p - 1.2 * q;
                          })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace gierer_meinhardt_test
}  // namespace oracle
