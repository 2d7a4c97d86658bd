// tests/oracle/fisher_kpp_test.cpp: the Fisher-KPP equation, with a map as its growth rate, against a plain loop
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace fisher_kpp_test {

struct Case {
    const char* preset;
    double s;
    double (*growth)(double X, double Y);
    double dt = .1, h = 1;
};
const double kPi = std::acos(-1.0);
const Case kCases[] = {{"habitat", .9,
                        [](double X, double Y) {
                            return .12 + .4 * std::sin(2 * kPi * (6 * X + .6 * std::sin(2 * kPi * Y))) +
                                   .45 * std::sin(2 * kPi * (7 * Y - 2 * X) + 3 * std::sin(2 * kPi * X));
                        }},
                       {"invasion", 1, [](double, double) { return 1.0; }},
                       {"rough-land", 1, [](double X, double Y) {
                            return .55 + .45 * std::sin(2 * kPi * (5 * X + 2 * Y)) * std::sin(2 * kPi * (3 * Y - 4 * X) + 1);
                        }}};

TEST(FisherKpp, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:fisher-kpp", c.preset, "size = \"40x31\"\ninitial = { u = \"noise(0, 1)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]);
            return Fields{g.cells([&](int i, int j) {
                const double p = u.at(i, j);
                return g.lap5(u, i, j) + c.growth(g.x(i) / (g.nx * g.hx), g.y(j) / (g.ny * g.hy)) * p - c.s * p * p;
            })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace fisher_kpp_test
}  // namespace oracle
