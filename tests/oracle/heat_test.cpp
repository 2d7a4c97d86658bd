// tests/oracle/heat_test.cpp: the heat equation between borders of every preset against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace heat_test {

struct Case {
    const char* preset;
    Sides (*sides)(double t);
    double dt = .2, h = 1;
};
Side value(double c) { return {Rule::value, c}; }
const Side kNoFlux{Rule::no_flux, 0};
const Case kCases[] = {{"waves",
                        [](double t) {
                            return Sides{value(std::sin(.004 * t)), kNoFlux, value(std::sin(.61 * .004 * t + 1)), kNoFlux};
                        }},
                       {"cooling", [](double) { return all_sides(Rule::periodic); }},
                       {"plate", [](double) {
                            return Sides{value(1), value(-1), value(.4), value(0)};
                        }}};

TEST(Heat, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:heat", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(-1, 1)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double t) {
            const Ghosted u = g.ghosted(f[0], c.sides(t));
            return Fields{g.cells([&](int i, int j) { return g.lap5(u, i, j); })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace heat_test
}  // namespace oracle
