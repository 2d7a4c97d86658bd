// tests/oracle/allen_cahn_test.cpp: the Allen-Cahn equation against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace allen_cahn_test {

struct Case {
    const char* preset;
    double bias;
    double dt = .1, h = 1;
};
constexpr Case kCases[] = {{"domains", 0}, {"islands", 0}, {"nucleation", .06}};

TEST(AllenCahn, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:allen-cahn", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(-1, 1)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            return Fields{g.cells([&](int i, int j) {
                const double p = u.at(i, j);
                return g.lap5(u, i, j) + p - p * p * p + c.bias;
            })};
        });
        expect_agreement(outcome, expected);
    }
}

TEST(ConservedAllenCahn, EveryPresetFollowsThePlainLoop) {
    for (const char* preset : {"drops", "islands"}) {
        SCOPED_TRACE(preset);
        const Outcome outcome =
            run_mottle("library:conserved-allen-cahn", preset, "size = \"40x31\"\ninitial = { u = \"noise(-1, 1)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, .1);
        const Fields expected = advance(outcome.start, .1, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            long double made = 0;
            for (const double p : f[0]) made += p - p * p * p;
            const double mean = static_cast<double>(made / static_cast<long double>(f[0].size()));
            return Fields{g.cells([&](int i, int j) {
                const double p = u.at(i, j);
                return g.lap5(u, i, j) + p - p * p * p - mean;
            })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace allen_cahn_test
}  // namespace oracle
