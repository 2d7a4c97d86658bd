// tests/oracle/ginzburg_landau_test.cpp: the complex Ginzburg-Landau equation against a plain loop in complex numbers
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <complex>

namespace oracle {
namespace ginzburg_landau_test {

struct Case {
    const char* preset;
    double b, c, dt;
    double h = 1;
};
constexpr Case kCases[] = {{"spirals", 0, 1, .05}, {"frozen", 0, 1.5, .05}, {"turbulence", 2, -1.2, .04}, {"drifting", 2, -.75, .04}};

TEST(GinzburgLandau, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.preset);
        const Outcome outcome = run_mottle("library:ginzburg-landau", c.preset,
                                           "size = \"40x31\"\ninitial = { u = \"noise(-1, 1)\", v = \"noise(-1, 1)\" }\n", 50);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, c.dt);
        EXPECT_EQ(g.hx, c.h);
        using Complex = std::complex<double>;
        const Complex first(1, c.b), second(1, c.c);
        const Fields expected = advance(outcome.start, c.dt, 50, [&](const Fields& f, double) {
            const Ghosted u = g.ghosted(f[0]), v = g.ghosted(f[1]);
            auto rate = [&](int i, int j) {
                const Complex amplitude(u.at(i, j), v.at(i, j)), lap(g.lap5(u, i, j), g.lap5(v, i, j));
                return amplitude + first * lap - second * std::norm(amplitude) * amplitude;
            };
            return Fields{g.cells([&](int i, int j) { return rate(i, j).real(); }),
                          g.cells([&](int i, int j) { return rate(i, j).imag(); })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace ginzburg_landau_test
}  // namespace oracle
