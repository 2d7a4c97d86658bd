// tests/oracle/kardar_parisi_zhang_test.cpp: the Kardar-Parisi-Zhang equation against a plain loop with random numbers of its own
#include "oracle/mottle_run.h"
#include "oracle/plain_noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace kardar_parisi_zhang_test {

struct Case {
    const char* preset;
    double lambda;
    const char* size = "40x31";
};

TEST(KardarParisiZhang, EveryPresetFollowsThePlainLoop) {
    for (const Case& c : {Case{"growth", 3}, Case{"relaxation", 0}, Case{"profile", 3, "57"}}) {
        SCOPED_TRACE(c.preset);
        const double dt = 0.05;
        const Outcome outcome =
            run_mottle("library:kardar-parisi-zhang", c.preset, "seed = 5\nsize = \"" + std::string(c.size) + "\"\n", 60);
        const Grid& g = outcome.grid;
        EXPECT_EQ(outcome.dt, dt);
        const Fields expected = advance(outcome.start, dt, 60, [&](const Fields& f, double t) {
            const Ghosted h = g.ghosted(f[0]);
            const auto step = static_cast<std::uint64_t>(std::lround(t / dt));
            return Fields{g.cells([&](int i, int j) {
                const double x = g.dx(h, i, j), y = g.ny > 1 ? g.dy(h, i, j) : 0;
                const double noise = plain::normal(5, step, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 0, 0);
                return g.lap5(h, i, j) + c.lambda / 2 * (x * x + y * y) + std::sqrt(2 * 0.5) * noise / std::sqrt(dt);
            })};
        });
        expect_agreement(outcome, expected);
    }
}

}  // namespace kardar_parisi_zhang_test
}  // namespace oracle
