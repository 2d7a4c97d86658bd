// tests/oracle/cyclic_competition_test.cpp: the three species of cyclic competition against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace cyclic_competition_test {

struct Case {
    const char* preset;
    double kill, dt;
    double h = 1;
};
constexpr Case kCases[] = {{"spirals", 2, .1}, {"fierce", 8, .05}};

TEST(CyclicCompetition, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:cyclic-competition", c.preset,
                       "size = \"40x31\"\ninitial = { u = \"noise(0, 0.5)\", v = \"noise(0, 0.5)\", w = \"noise(0, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            Fields rates;
            for (std::size_t k = 0; k < 3; ++k) {
                const Ghosted own = g.ghosted(f[k]);
                rates.push_back(g.cells([&](int i, int j) {
                    const auto at = static_cast<std::size_t>(j * g.nx + i);
                    return g.lap5(own, i, j) + f[k][at] * (1 - f[0][at] - f[1][at] - f[2][at] - c.kill * f[(k + 2) % 3][at]);
                }));
            }
            return rates;
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace cyclic_competition_test
}  // namespace oracle
