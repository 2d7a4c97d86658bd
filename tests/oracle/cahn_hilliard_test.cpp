// tests/oracle/cahn_hilliard_test.cpp: the Cahn-Hilliard equation against a plain loop over the chemical potential, and its conserved mean
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <numeric>

namespace oracle {
namespace cahn_hilliard_test {

struct Case {
    const char* preset;
    double dt = .03, h = 1;
};
constexpr Case kCases[] = {{"spinodal"}, {"droplets"}};

double mean(const Cells& cells) { return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size()); }

TEST(CahnHilliard, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome =
            run_mottle("library:cahn-hilliard", c.preset, "size = \"40x31\"\ninitial = { u = \"mixed + noise(-0.5, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            const Ghosted potential =
                g.ghosted(g.cells([&](int i, int j) { return u.at(i, j) * u.at(i, j) * u.at(i, j) - u.at(i, j) - 0.5 * g.lap5(u, i, j); }));
            return Fields{g.cells([&](int i, int j) { return g.lap5(potential, i, j); })};
        });
        expect_agreement(outcome, expected);
        EXPECT_NEAR(mean(outcome.end[0]), mean(outcome.start[0]), 1e-14);
    }
}

}  // namespace cahn_hilliard_test
}  // namespace oracle
