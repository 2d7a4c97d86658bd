// tests/oracle/initial_noise_test.cpp: noise and spots against loops written from their definitions, with a Philox of their own
#include "mottle/field/source.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace initial_noise_test {

using Cells = std::vector<double>;

// ---- the oracle

void mul_hi_lo(std::uint32_t a, std::uint32_t b, std::uint32_t& hi, std::uint32_t& lo) {
    const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
    hi = static_cast<std::uint32_t>(product / 4294967296u);
    lo = static_cast<std::uint32_t>(product % 4294967296u);
}

/// Draw `draw` of `cell` before the first step: step number 2^64 - 1.
double draw_of(std::uint64_t seed, std::uint64_t cell, std::uint32_t draw) {
    std::uint32_t c0 = static_cast<std::uint32_t>(cell), c1 = static_cast<std::uint32_t>(cell >> 32) + (draw / 4) * 65536u;
    std::uint32_t c2 = 0xffffffffu, c3 = 0xffffffffu;
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        std::uint32_t hi0, lo0, hi1, lo1;
        mul_hi_lo(0xD2511F53u, c0, hi0, lo0);
        mul_hi_lo(0xCD9E8D57u, c2, hi1, lo1);
        c0 = hi1 ^ c1 ^ k0;
        c1 = lo1;
        c2 = hi0 ^ c3 ^ k1;
        c3 = lo0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    const std::uint32_t words[4] = {c0, c1, c2, c3};
    return (static_cast<double>(words[draw % 4] / 512) + 0.5) / 8388608.0;
}

struct Plane {
    long nx, ny;
    double hx, hy;
    bool periodic_x, periodic_y;
};

Cells spots_by_loop(const Plane& p, std::uint64_t seed, std::uint32_t first_draw, int count, double radius) {
    Cells cells(static_cast<std::size_t>(p.nx * p.ny), 0.0);
    const double lx = static_cast<double>(p.nx) * p.hx, ly = static_cast<double>(p.ny) * p.hy;
    for (int spot = 0; spot < count; ++spot) {
        const double cx = draw_of(seed, static_cast<std::uint64_t>(spot), first_draw) * lx;
        const double cy = p.ny == 1 ? 0.5 * p.hy : draw_of(seed, static_cast<std::uint64_t>(spot), first_draw + 1) * ly;
        for (long j = 0; j < p.ny; ++j) {
            for (long i = 0; i < p.nx; ++i) {
                double dx = std::abs((static_cast<double>(i) + 0.5) * p.hx - cx), dy = std::abs((static_cast<double>(j) + 0.5) * p.hy - cy);
                if (p.periodic_x && lx - dx < dx) dx = lx - dx;
                if (p.periodic_y && ly - dy < dy) dy = ly - dy;
                if (std::sqrt(dx * dx + dy * dy) <= radius) cells[static_cast<std::size_t>(j * p.nx + i)] = 1;
            }
        }
    }
    return cells;
}

// ---- the thing tested

mottle::domain::Grid grid_of(const Plane& p) {
    using mottle::domain::Rule;
    mottle::domain::Grid grid;
    grid.size = {p.nx, p.ny, 1};
    grid.spacing = {p.hx, p.hy, 1};
    grid.sides[0].rule = grid.sides[1].rule = p.periodic_x ? Rule::periodic : Rule::no_flux;
    grid.sides[2].rule = grid.sides[3].rule = p.periodic_y ? Rule::periodic : Rule::no_flux;
    return grid;
}

Cells evaluate(const std::string& text, const Plane& p, std::uint64_t seed) {
    mottle::model::Equation equation;
    equation.field = "u";
    equation.initial = mottle::model::parse({text, {"m.toml", 1, 1, 1, mottle::core::make_source(text)}});
    mottle::model::Model model;
    model.equations.push_back(equation);
    const mottle::domain::Domain domain = grid_of(p);
    const auto rows = mottle::field::create_row_expression(mottle::ir::lower_position(equation.initial, model, domain), domain, {seed, {}});
    Cells cells(static_cast<std::size_t>(p.nx * p.ny), -1.0);
    const auto n = static_cast<std::size_t>(p.nx);
    for (std::size_t row = 0; row * n < cells.size(); ++row) rows(static_cast<long>(row), 0, {&cells[row * n], n});
    return cells;
}

TEST(InitialNoise, EqualsTheDefinition) {
    const std::uint64_t seed = 0x9876543210abcdef;
    const Plane plane{1030, 9, 1, 1, true, true};  // rows longer than one piece, and no multiple of one
    const Cells result = evaluate("noise(-1, 3) + 100*noise(0, 1)", plane, seed);
    for (std::size_t cell = 0; cell < result.size(); ++cell) {
        const double first = -1 + 4 * draw_of(seed, cell, 0), second = 0 + 1 * draw_of(seed, cell, 1);
        ASSERT_EQ(result[cell], first + 100 * second) << "cell " << cell;
    }
}

TEST(InitialNoise, FifthCallTakesTheNextBlock) {
    const Plane plane{5, 4, 1, 1, true, true};
    const Cells result = evaluate("0*(noise(0,1) + noise(0,1) + noise(0,1) + noise(0,1)) + noise(0,1)", plane, 3);
    for (std::size_t cell = 0; cell < result.size(); ++cell) EXPECT_EQ(result[cell], draw_of(3, cell, 4));
}

TEST(InitialNoise, SeedsDiffer) {
    const Plane plane{16, 16, 1, 1, true, true};
    EXPECT_NE(evaluate("noise(0,1)", plane, 0), evaluate("noise(0,1)", plane, 1));
    EXPECT_NE(evaluate("noise(0,1)", plane, 0), evaluate("noise(0,1)", plane, std::uint64_t{1} << 32));
}

TEST(InitialSpots, EqualTheDefinition) {
    for (bool px : {true, false}) {
        for (bool py : {true, false}) {
            for (auto [nx, ny, hx, hy, radius] : {std::tuple{64L, 48L, 1.0, 1.0, 6.0},
                                                  {64L, 48L, 1.0, 1.0, 6.8},
                                                  {61L, 20L, 0.25, 2.0, 3.1},
                                                  {40L, 1L, 1.0, 1.0, 2.5},
                                                  {9L, 7L, 1.0, 1.0, 0.4},
                                                  {16L, 16L, 1.0, 1.0, 7.9},
                                                  {8L, 8L, 1.0, 1.0, 100.0}}) {
                const Plane plane{nx, ny, hx, hy, px, py};
                const Cells expected = spots_by_loop(plane, 11, 0, 12, radius);
                EXPECT_EQ(evaluate("spots(12, " + std::to_string(radius) + ")", plane, 11), expected)
                    << nx << "x" << ny << " radius " << radius;
            }
        }
    }
}

TEST(InitialSpots, HaveDrawsOfTheirOwn) {
    const Plane plane{32, 32, 1, 1, true, true};
    const Cells result = evaluate("0*noise(0, 1) + spots(3, 4) + 10*spots(3, 4)", plane, 5);
    const Cells first = spots_by_loop(plane, 5, 1, 3, 4), second = spots_by_loop(plane, 5, 4, 3, 4);
    ASSERT_NE(first, second);
    for (std::size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], first[i] + 10 * second[i]);
}

}  // namespace initial_noise_test
