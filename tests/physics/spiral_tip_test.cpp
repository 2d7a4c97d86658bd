// tests/physics/spiral_tip_test.cpp: the path of the tip of Barkley's meandering spiral is a flower, as a plain loop draws it
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/run/listener.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace spiral_tip_test {

using namespace mottle;
using core::Index;
using Place = std::array<double, 2>;

constexpr double kSpacing = 0.25, kA = 0.58, kB = 0.05;
constexpr Index kSide = 256;

std::vector<double> cells_of(const run::Simulation& run, ir::Array array) {
    std::vector<double> cells(static_cast<std::size_t>(kSide * kSide));
    for (Index y = 0; y < kSide; ++y)
        run.kernel().read_row(run.field().state(), array, y, std::span(cells).subspan(static_cast<std::size_t>(y * kSide), kSide));
    return cells;
}

/// Where u = 1/2 and v = a/2 - b cross: both change their sign among four cells. Of several the one nearest to `last`.
std::optional<Place> tip_of(const run::Simulation& run, const Place& last) {
    const std::vector<double> u = cells_of(run, 0), v = cells_of(run, 1);
    const auto crosses = [](const std::vector<double>& f, double level, Index x, Index y) {
        const auto above = [&](Index i, Index j) { return f[static_cast<std::size_t>(j * kSide + i)] > level; };
        const bool first = above(x, y);
        return first != above(x + 1, y) || first != above(x, y + 1) || first != above(x + 1, y + 1);
    };
    std::optional<Place> tip;
    double least = INFINITY;
    for (Index y = 0; y + 1 < kSide; ++y) {
        for (Index x = 0; x + 1 < kSide; ++x) {
            if (!crosses(u, 0.5, x, y) || !crosses(v, kA / 2 - kB, x, y)) continue;
            const Place here = {(static_cast<double>(x) + 1) * kSpacing, (static_cast<double>(y) + 1) * kSpacing};
            const double distance = std::hypot(here[0] - last[0], here[1] - last[1]);
            if (distance < least) {
                least = distance;
                tip = here;
            }
        }
    }
    return tip;
}

// The loop, with the same spacing and dt, has its tip 0.88 to 3.72 from (28.1, 36.0), t = 30 to 90. With a = 0.63 it drifts by 19 meanwhile.
TEST(SpiralTip, MeanderIsAFlower) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "the compiled backend is missing: the interpreter would take minutes";
    core::ThreadTeam team(1);
    Listener observer;
    core::Context context{team, observer, kernel_cache()};
    run::Simulation run(
        run::read_spec(model::load_document("barkley"), "barkley", "meander", core::parse_document("steps = 9000\n", "flags")), context);
    std::vector<Place> path;
    Place last = {32, 32}, middle = {0, 0};
    for (Index step = 10; step <= 9000; step += 10) {
        run.advance_to(step);
        const std::optional<Place> tip = tip_of(run, last);
        ASSERT_TRUE(tip) << step;
        last = *tip;
        if (step > 3000) path.push_back(last);
    }
    for (const Place& place : path) {
        for (std::size_t k : {0U, 1U}) middle[k] += place[k] / static_cast<double>(path.size());
    }
    EXPECT_NEAR(middle[0], 28.1, 0.5);
    EXPECT_NEAR(middle[1], 36.0, 0.5);
    double least = INFINITY, most = 0;
    for (const Place& place : path) {
        const double radius = std::hypot(place[0] - middle[0], place[1] - middle[1]);
        least = std::min(least, radius);
        most = std::max(most, radius);
    }
    EXPECT_NEAR(least, 0.88, 0.4);
    EXPECT_NEAR(most, 3.72, 0.4);
}

}  // namespace spiral_tip_test
