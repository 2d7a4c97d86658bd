// tests/oracle/kuramoto_sivashinsky_test.cpp: the damped Kuramoto-Sivashinsky equation against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

namespace oracle {
namespace kuramoto_sivashinsky_test {

struct Case {
    const char* preset;
    double alpha;
    double dt = .008, h = .75;
};
constexpr Case kCases[] = {{"cells", .15}, {"lattice", .21}, {"flames", .05}};

TEST(KuramotoSivashinsky, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:kuramoto-sivashinsky", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(-2, 2)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            const Ghosted lap = g.ghosted(g.cells([&](int i, int j) { return g.lap5(u, i, j); }));
            return Fields{g.cells([&](int i, int j) {
                const double p = u.at(i, j), sx = g.dx(u, i, j), sy = g.dy(u, i, j);
                return -c.alpha * p - lap.at(i, j) - g.lap5(lap, i, j) - 0.5 * (sx * sx + sy * sy);
            })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace kuramoto_sivashinsky_test
}  // namespace oracle
