// tests/oracle/articles_test.cpp: the run files of the two articles against plain loops in the articles' own terms
#include "mottle/run/settings/read_spec.h"
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace oracle {
namespace articles_test {

std::string example(const std::string& name) {
    std::ifstream file(std::string(MOTTLE_SOURCE_DIR) + "/examples/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The listing of the Triton article: np.roll Laplacians of both fields, one Euler step, both clipped to [0, 1].
TEST(Articles, TritonStepsLikeTheListing) {
    const Outcome outcome = run_mottle(example("triton-article.toml"), "", "", 50);
    const Grid& g = outcome.grid;
    ASSERT_EQ(g.nx, 512);
    ASSERT_EQ(g.ny, 512);
    ASSERT_EQ(outcome.dt, 1);
    Cells u = outcome.start[0], v = outcome.start[1];
    const auto n = static_cast<std::size_t>(512);
    for (int step = 0; step < 50; ++step) {
        Cells next_u(u.size()), next_v(v.size());
        for (std::size_t y = 0; y < n; ++y) {
            for (std::size_t x = 0; x < n; ++x) {
                const std::size_t here = y * n + x, west = y * n + (x + n - 1) % n, east = y * n + (x + 1) % n;
                const std::size_t north = (y + n - 1) % n * n + x, south = (y + 1) % n * n + x;
                const double lu = -4 * u[here] + u[north] + u[south] + u[west] + u[east];
                const double lv = -4 * v[here] + v[north] + v[south] + v[west] + v[east];
                const double reaction = u[here] * v[here] * v[here];
                next_u[here] = std::clamp(u[here] + 0.16 * lu - reaction + 0.035 * (1 - u[here]), 0.0, 1.0);
                next_v[here] = std::clamp(v[here] + 0.08 * lv + reaction - (0.035 + 0.060) * v[here], 0.0, 1.0);
            }
        }
        u.swap(next_u);
        v.swap(next_v);
    }
    expect_agreement(outcome, {u, v});
    // The start is a ring of radius 120 and width 10 about the middle, with noise, on u = 1 and v = 0.
    for (int y = 0; y < 512; ++y) {
        for (int x = 0; x < 512; ++x) {
            const double distance = std::hypot(x + 0.5 - 256, y + 0.5 - 256), from_ring = std::abs(distance - 120);
            const double value = outcome.start[1][static_cast<std::size_t>(y) * n + static_cast<std::size_t>(x)];
            if (from_ring < 4.9) {
                EXPECT_TRUE(value >= 0.15 && value <= 0.35) << x << " " << y;
            }
            if (from_ring > 5.1) {
                EXPECT_EQ(value, 0) << x << " " << y;
            }
        }
    }
}

/// The Julia article's convolution: the kernel cut off at the border, the weight of the centre always -1; both fields from the same time.
TEST(Articles, JuliaStepsLikeTheKernelWithBothFieldsFromTheSameTime) {
    struct Pattern {
        const char* preset;
        double f, k;
    };
    for (const auto& [preset, f, k] :
         {Pattern{"gamma", .022, .051}, Pattern{"negatons", .046, .0594}, Pattern{"bubbles", .098, .057}, Pattern{"u-skate", .062, .0609},
          Pattern{"fledgling-spirals", .010, .047}, Pattern{"theta", .038, .061}, Pattern{"mu", .058, .065}, Pattern{"xi", .014, .047},
          Pattern{"sigma", .110, .0523}}) {
        SCOPED_TRACE(preset);
        const Outcome outcome = run_mottle(example("julia-article.toml"), preset,
                                           "size = \"72x65\"\ninitial = { A = \"noise(0, 1)\", B = \"noise(0, 0.5)\" }\n", 50);
        const Grid& g = outcome.grid;
        ASSERT_EQ(outcome.dt, 1);
        Cells a = outcome.start[0], b = outcome.start[1];
        const double kernel[3][3] = {{.05, .2, .05}, {.2, -1, .2}, {.05, .2, .05}};
        auto convolve = [&](const Cells& cells, int x, int y) {
            double sum = 0;
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const int cx = x + dx, cy = y + dy;
                    if (cx < 0 || cx >= g.nx || cy < 0 || cy >= g.ny) continue;
                    sum += kernel[dy + 1][dx + 1] * cells[static_cast<std::size_t>(cy * g.nx + cx)];
                }
            }
            return sum;
        };
        for (int step = 0; step < 50; ++step) {
            Cells next_a(a.size()), next_b(b.size());
            for (int y = 0; y < g.ny; ++y) {
                for (int x = 0; x < g.nx; ++x) {
                    const auto here = static_cast<std::size_t>(y * g.nx + x);
                    next_a[here] = a[here] + 1.0 * convolve(a, x, y) - a[here] * b[here] * b[here] + f * (1 - a[here]);
                    next_b[here] = b[here] + 0.5 * convolve(b, x, y) + a[here] * b[here] * b[here] - b[here] * (k + f);
                }
            }
            a.swap(next_a);
            b.swap(next_b);
        }
        expect_agreement(outcome, {a, b});
    }
}

/// 200 epochs that grow; those of Sigma end at 100,000 steps.
TEST(Articles, JuliaDrawsTwoHundredGrowingEpochs) {
    for (const auto& [preset, steps] : {std::pair{"gamma", 60'000}, {"sigma", 100'000}}) {
        SCOPED_TRACE(preset);
        const auto root = mottle::core::parse_document(example("julia-article.toml"), "julia-article.toml");
        const auto spec = mottle::run::read_spec(root, "julia-article", preset, mottle::core::parse_document("", "settings"));
        EXPECT_EQ(spec.steps, steps);
        ASSERT_EQ(spec.outputs.size(), 1U);
        EXPECT_EQ(spec.outputs[0].times.frames, 200);
        EXPECT_EQ(std::get<mottle::domain::Grid>(spec.domain).size, (mottle::domain::Triple{1024, 1024, 1}));
        EXPECT_FALSE(spec.method.f64);
    }
}

}  // namespace articles_test
}  // namespace oracle
