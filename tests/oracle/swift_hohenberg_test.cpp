// tests/oracle/swift_hohenberg_test.cpp: the Swift-Hohenberg equation against a plain loop that applies q^2 + lap twice
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace swift_hohenberg_test {

struct Case {
    const char* preset;
    double r, quadratic;
    double dt = .025, h = 1;
};
constexpr Case kCases[] = {{"rolls", .02, 0}, {"labyrinth", .1, 0}, {"hexagons", .005, .25}};

TEST(SwiftHohenberg, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:swift-hohenberg", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(-0.5, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            const Ghosted once = g.ghosted(g.cells([&](int i, int j) { return 0.25 * u.at(i, j) + g.lap5(u, i, j); }));
            return Fields{g.cells([&](int i, int j) {
                const double p = u.at(i, j);
                return c.r * p - (0.25 * once.at(i, j) + g.lap5(once, i, j)) + c.quadratic * p * p - p * p * p;
            })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace swift_hohenberg_test
}  // namespace oracle
