// tests/oracle/white_noise_test.cpp: white() against plain loops with random numbers of their own
#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"
#include "oracle/plain_noise.h"
#include "oracle/runge_kutta.h"

#include <gtest/gtest.h>

#include <cmath>

namespace oracle {
namespace white_noise_test {

constexpr std::uint64_t kSeed = 0xfedcba9876543210u;
const std::string kSeedText = "seed = \"18364758544493064720\"\n";

// The vectors that came with the published code of Philox.
TEST(PlainNoise, KnowsTheAnswersOfItsAuthors) {
    EXPECT_EQ(plain::philox_block({0, 0, 0, 0}, 0, 0), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(plain::philox_block({ones, ones, ones, ones}, ones, ones),
              (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(plain::philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
              (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

class WhiteNoise : public testing::TestWithParam<const char*> {};

// Five numbers, numbered by their places in the text: of one definition in two equations, under an operator, times a field, alone. A method sees the
// numbers of a step in all its stages.
TEST_P(WhiteNoise, FollowsThePlainLoop) {
    const std::string text = R"toml(
[equations]
u = "0.3*lap(u) + s*u*white() - 0.2*kick"
v = "0.1*lap(v) + kick*white() - dx(v*white()) + 0.3*white()"
[parameters]
s = 0.25
[define]
kick = "0.4*white()"
[initial]
u = "noise(0, 1)"
v = "noise(0, 1)"
[boundary.u]
left = "value(0.3)"
right = "value(0.3)"
top = "no-flux"
bottom = "no-flux"
[boundary.v]
left = "no-flux"
right = "no-flux"
top = "no-flux"
bottom = "no-flux"
)toml";
    const double dt = 0.03125, h = 0.5;
    const int steps = 40;
    const std::string method = GetParam();
    for (const char* device : {"reference", "cpu"}) {
        if (lacks(device)) continue;
        const Outcome outcome =
            run_mottle(text, "", "size = \"21x17\"\nspacing = 0.5\ndt = 0.03125\nmethod = \"" + method + "\"\n" + kSeedText, steps, device);
        const Grid& grid = outcome.grid;
        Fields expected = outcome.start;
        for (int step = 0; step < steps; ++step) {
            Fields white;
            for (std::uint32_t number = 0; number < 5; ++number) {
                white.push_back(grid.cells([&](int i, int j) {
                    return plain::normal(kSeed, static_cast<std::uint64_t>(step), static_cast<std::uint32_t>(i),
                                         static_cast<std::uint32_t>(j), 0, number) /
                           std::sqrt(dt * h * h);
                }));
            }
            const auto rate = [&](const Fields& f, double) {
                const auto cell = [&](int i, int j) { return static_cast<std::size_t>(j * grid.nx + i); };
                Sides sides = all_sides(Rule::no_flux);
                sides[0] = sides[1] = Side{Rule::value, 0.3};
                const Ghosted u = grid.ghosted(f[0], sides), v = grid.ghosted(f[1], all_sides(Rule::no_flux));
                const Ghosted driven = grid.ghosted(grid.cells([&](int i, int j) { return f[1][cell(i, j)] * white[2][cell(i, j)]; }),
                                                    all_sides(Rule::no_flux));
                return Fields{grid.cells([&](int i, int j) {
                                  return 0.3 * grid.lap5(u, i, j) + 0.25 * u.at(i, j) * white[0][cell(i, j)] -
                                         0.2 * 0.4 * white[4][cell(i, j)];
                              }),
                              grid.cells([&](int i, int j) {
                                  return 0.1 * grid.lap5(v, i, j) + 0.4 * white[4][cell(i, j)] * white[1][cell(i, j)] -
                                         grid.dx(driven, i, j) + 0.3 * white[3][cell(i, j)];
                              })};
            };
            expected = step_by(method, expected, 0, dt, rate, [](Fields f, double) { return f; });
        }
        expect_agreement(outcome, expected, 1e-11);
    }
}

TEST_P(WhiteNoise, FollowsThePlainLoopOnSurfaces) {
    const mottle::domain::Mesh mesh = shape("sphere:2", 3);
    const plain::PlainMesh geometry = plain_of(mesh);
    std::vector<double> area(geometry.position.size());
    for (const plain::Face& face : geometry.faces) {
        const auto corner = [&](std::size_t c) { return static_cast<std::size_t>(face[c]); };
        const plain::Vector normal = plain::cross(plain::minus(geometry.position[corner(1)], geometry.position[corner(0)]),
                                                  plain::minus(geometry.position[corner(2)], geometry.position[corner(0)]));
        for (std::size_t c = 0; c < 3; ++c) area[corner(c)] += plain::length(normal) / 6;
    }
    const double dt = 0.02;
    const MeshFields start = {sample(mesh, [](double x, double y, double) { return 1 + 0.3 * std::sin(0.7 * x + 0.4 * y); })};
    MeshFields expected = start;
    for (int step = 0; step < 30; ++step) {
        const auto rate = [&](const MeshFields& f, double) {
            MeshFields k = {plain::laplacian(geometry, f[0])};
            for (std::size_t i = 0; i < area.size(); ++i) {
                const double noise = plain::normal(kSeed, static_cast<std::uint64_t>(step), static_cast<std::uint32_t>(i), 0, 0, 0) /
                                     std::sqrt(dt * area[i]);
                k[0][i] = 0.2 * k[0][i] + 0.3 * f[0][i] * noise;
            }
            return k;
        };
        expected = step_by(GetParam(), expected, 0, dt, rate, [](MeshFields f, double) { return f; });
    }
    const std::string model =
        "method.name = '" + std::string(GetParam()) + "'\n[equations]\nu = \"0.2*lap(u) + 0.3*u*white()\"\n[initial]\nu = 1\n";
    for (const char* device : {"reference", "auto"}) {
        const MeshFields end = run_on_mesh({model, mesh, dt, device, "steps=4 parts=2", 2, kSeed}, start, 30);
        for (std::size_t i = 0; i < area.size(); ++i) ASSERT_NEAR(end[0][i], expected[0][i], 1e-11) << device << ", vertex " << i;
        EXPECT_GT(std::abs(end[0][0] - start[0][0]), 1e-3);
    }
}

INSTANTIATE_TEST_SUITE_P(, WhiteNoise, testing::Values("euler", "heun", "rk4"), [](const auto& of) { return std::string(of.param); });

// f32: the same numbers, rounded.
TEST(WhiteNoiseInSingle, HasTheNumbersOfDouble) {
    const std::string text = "[equations]\nu = 'white()'\n[initial]\nu = 0\n", settings = "size = \"64x32x3\"\ndt = 1\n" + kSeedText;
    const Outcome wide = run_mottle(text, "", settings, 1), narrow = run_mottle(text, "", settings, 1, "auto", "f32");
    for (std::size_t c = 0; c < wide.end[0].size(); ++c) {
        const auto x = static_cast<std::uint32_t>(c % 64), y = static_cast<std::uint32_t>(c / 64 % 32),
                   z = static_cast<std::uint32_t>(c / 2048);
        ASSERT_NEAR(wide.end[0][c], plain::normal(kSeed, 0, x, y, z, 0), 1e-14);
        ASSERT_NEAR(narrow.end[0][c], wide.end[0][c], 1e-6 * (1 + std::abs(wide.end[0][c])));
    }
}

}  // namespace white_noise_test
}  // namespace oracle
