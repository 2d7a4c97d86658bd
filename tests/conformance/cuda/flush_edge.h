// tests/conformance/cuda/flush_edge.h: products, sums and quotients whose exact values lie at the edge of underflow (docs/numerics.md, "Underflow")
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/functions/philox.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace conformance {

inline constexpr mottle::core::Index kEdgeCells = 64;  // a square of them

/// m = a*b, f = fma(a, e, c), d = p/q, the results within 2^-126 (1 - 2^-23) .. 2^-126 of both signs.
inline mottle::ir::Program flush_edge_program() {
    using namespace mottle::ir;
    Program program;
    for (const char* name : {"m", "f", "d"}) program.arrays.push_back({name, ArrayInfo::Kind::state, 0});
    for (const char* name : {"a", "b", "e", "c", "p", "q"}) program.arrays.push_back({name, ArrayInfo::Kind::input, 0});
    program.ghosts.resize(1);
    Stage stage{"edge", {}, {{0, 6}, {1, 7}, {2, 8}}};
    for (std::int32_t array = 3; array < 9; ++array) stage.code.push_back({Op::load, {-1, -1, -1}, array, {0, 0, 0}, 0});
    stage.code.push_back({Op::mul, {0, 1, -1}, 0, {0, 0, 0}, 0});
    stage.code.push_back({Op::fma, {0, 2, 3}, 0, {0, 0, 0}, 0});
    stage.code.push_back({Op::div, {4, 5, -1}, 0, {0, 0, 0}, 0});
    program.step.stages.push_back(stage);
    verify(program);
    return program;
}

/// The bits of m, f and d after a step.
inline std::vector<std::uint32_t> flush_edge_bits(mottle::backend::Backend& backend, mottle::core::Context& context) {
    using mottle::ir::uniform_draw;
    mottle::domain::Grid grid;
    grid.size = {kEdgeCells, kEdgeCells, 1};
    const mottle::ir::Program program = flush_edge_program();
    auto kernel = backend.compile(program, grid, {}, context);
    auto state = kernel->create_state();
    std::vector<std::vector<double>> row(6, std::vector<double>(kEdgeCells));
    for (mottle::core::Index y = 0; y < kEdgeCells; ++y) {
        for (std::size_t x = 0; x < static_cast<std::size_t>(kEdgeCells); ++x) {
            const auto cell = static_cast<std::uint64_t>(y) * kEdgeCells + x;
            auto draw = [cell](std::uint64_t which) { return uniform_draw(which, cell, 0, 0); };
            const double sign = cell % 2 == 0 ? 1 : -1, edge = sign * std::ldexp(1 - draw(1) * 0x1p-23, -126);
            const float a = static_cast<float>(std::ldexp(1 + draw(2), -63)), q = static_cast<float>(std::ldexp(1 + draw(3), 20));
            const auto c = static_cast<float>(-sign * std::ldexp(1 + draw(4), -126));
            row[0][x] = a;
            row[1][x] = static_cast<float>(edge / a);
            row[2][x] = static_cast<float>((edge - c) / a);
            row[3][x] = c;
            row[4][x] = static_cast<float>(edge * q);
            row[5][x] = q;
        }
        for (std::int32_t array = 3; array < 9; ++array) kernel->write_row(*state, array, y, row[static_cast<std::size_t>(array - 3)]);
    }
    kernel->advance(*state, 0, 1, {});
    std::vector<std::uint32_t> bits;
    std::vector<float> cells(kEdgeCells);
    for (std::int32_t array = 0; array < 3; ++array) {
        for (mottle::core::Index y = 0; y < kEdgeCells; ++y) {
            kernel->read_row(*state, array, y, cells);
            for (float x : cells) bits.push_back(std::bit_cast<std::uint32_t>(x));
        }
    }
    return bits;
}

}  // namespace conformance
