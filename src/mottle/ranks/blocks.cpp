// mottle/ranks/blocks.cpp: a grid cut into blocks, one for each rank
#include "mottle/ranks/blocks.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/program/piece.h"

#include <algorithm>
#include <optional>

namespace mottle::ranks {
namespace {

using core::at;

/// Steps between exchanges that cost little beside what halos cost: a pass of the CPU's kernels has about as many.
int usual_steps(const domain::Grid& grid) {
    constexpr int kLine = 64, kPlane = 16, kVolume = 4;
    return grid.size[2] > 1 ? kVolume : grid.size[1] > 1 ? kPlane : kLine;
}

/// Steps whose halos fit in the smallest block, at most `wanted`; 0: not even one does.
int steps_that_fit(const domain::Grid& grid, const Triple& parts, const Triple& reach, int wanted) {
    Index steps = wanted;
    for (std::size_t d = 0; d < 3; ++d) {
        if (parts[d] == 1) continue;
        const Index smallest = grid.size[d] / parts[d];
        if (smallest < 1) return 0;
        if (reach[d] > 0) steps = std::min(steps, smallest / reach[d]);
    }
    return static_cast<int>(steps);
}

Blocks blocks_of(const Triple& parts, const Triple& reach, int steps) {
    Blocks blocks{parts, {}, steps};
    for (std::size_t d = 0; d < 3; ++d) blocks.halo[d] = parts[d] > 1 ? std::max<Index>(1, steps * reach[d]) : 0;
    return blocks;
}

/// What the rank with most to do computes, in cells per step, and what it takes to copy halos. Parts of rows are copied as whole rows.
double work_of(const domain::Grid& grid, const Blocks& blocks) {
    double cells = 1, own = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto largest = static_cast<double>((grid.size[d] + blocks.parts[d] - 1) / blocks.parts[d]);
        const double sides = blocks.parts[d] > 2 || (blocks.parts[d] == 2 && domain::wraps(grid, 2 * d)) ? 2 : blocks.parts[d] == 2 ? 1 : 0;
        own *= largest;
        cells *= largest + sides * static_cast<double>(blocks.halo[d]);
    }
    const double copied = blocks.parts[0] > 1 ? 4 * own : 2 * (cells - own);
    return cells + copied / blocks.steps;
}

[[noreturn]] void refuse(const domain::Grid& grid, const Triple& reach, int ranks, const std::optional<backend::BlockCounts>& blocks) {
    std::string text = "a " + domain::describe_size(grid.size) + " grid cannot be cut " +
                       (blocks ? "into " + backend::print(*blocks) + " blocks: " : "for " + core::grouped(ranks) + " ranks: ");
    for (std::size_t d = 0; blocks && d < 3; ++d) {
        if ((*blocks)[d] > 1 && grid.size[d] == 1)
            throw core::InputError(text + "it has one cell along " + "xyz"[d] + ", which cannot be cut");
    }
    std::string mixed;
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid.size[d] > 1 && !domain::can_be_cut(grid, d)) mixed += (mixed.empty() ? "" : " and ") + std::string(1, "xyz"[d]);
    }
    if (!mixed.empty()) text += "along " + mixed + " some fields wrap and others do not, and elsewhere ";
    text += "a block must have at least " + core::counted(std::max<Index>(1, std::max({reach[0], reach[1], reach[2]})), "cell", "cells") +
            " along each axis that is cut, as many as a step reads beyond it; " +
            (blocks ? "leave blocks out of the schedule, or cut along another axis" : "run fewer ranks with more threads each");
    throw core::InputError(text);
}

}  // namespace

Triple Blocks::place_of(int rank) const { return {rank % parts[0], rank / parts[0] % parts[1], rank / (parts[0] * parts[1])}; }

int Blocks::rank_at(const Triple& place) const { return static_cast<int>((place[2] * parts[1] + place[1]) * parts[0] + place[0]); }

CutWish wish_of(const backend::Schedule& schedule) {
    const backend::Spread spread = backend::spread_of(schedule);
    return {spread.halo.value_or(backend::steps_of(schedule).value_or(0)), spread.blocks};
}

Blocks choose_blocks(const ir::Program& program, const domain::Grid& grid, int ranks, const CutWish& wish) {
    const Triple reach = ir::reach_of_step(program);
    if (wish.blocks) backend::require_blocks(*wish.blocks, ranks);
    // Where sums are taken in every step there is an exchange of their own, and a launch is one step.
    const int wanted = wish.steps > 0 ? wish.steps : program.phases ? 1 : usual_steps(grid);
    std::optional<Blocks> best;
    for (Index z = 1; z <= ranks; ++z) {
        for (Index y = 1; ranks % z == 0 && y <= ranks / z; ++y) {
            if (ranks / z % y != 0) continue;
            const Triple parts = {ranks / z / y, y, z};
            bool can = true;
            for (std::size_t d = 0; d < 3; ++d) {
                can = can && (parts[d] == 1 || domain::can_be_cut(grid, d)) && (!wish.blocks || parts[d] == (*wish.blocks)[d]);
            }
            const int steps = can ? steps_that_fit(grid, parts, reach, wanted) : 0;
            if (steps == 0) continue;
            const Blocks blocks = blocks_of(parts, reach, steps);
            if (!best || work_of(grid, blocks) < work_of(grid, *best)) best = blocks;
        }
    }
    if (!best) refuse(grid, reach, ranks, wish.blocks);
    return *best;
}

domain::CellBox own_box(const domain::Grid& grid, const Blocks& blocks, int rank) {
    const Triple place = blocks.place_of(rank);
    domain::CellBox box;
    for (std::size_t d = 0; d < 3; ++d) {
        box.first[d] = grid.size[d] * place[d] / blocks.parts[d];
        box.size[d] = grid.size[d] * (place[d] + 1) / blocks.parts[d] - box.first[d];
    }
    return box;
}

domain::CellBox box_with_halos(const domain::Grid& grid, const Blocks& blocks, int rank) {
    domain::CellBox box = own_box(grid, blocks, rank);
    for (std::size_t d = 0; d < 3; ++d) {
        const bool low = neighbour(grid, blocks, rank, d, false) >= 0, high = neighbour(grid, blocks, rank, d, true) >= 0;
        box.first[d] -= low ? blocks.halo[d] : 0;
        box.size[d] += (low ? blocks.halo[d] : 0) + (high ? blocks.halo[d] : 0);
    }
    return box;
}

std::vector<Beside> blocks_beside(const domain::Grid& grid, const Blocks& blocks, int rank) {
    std::vector<Beside> all;
    for (int i = 0; i < 27; ++i) {
        const Direction direction{{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}};
        Triple place = blocks.place_of(rank);
        bool there = i != 13;  // itself
        for (std::size_t d = 0; d < 3; ++d) {
            const int step = direction.step[d];
            if (step == 0) continue;
            there = there && neighbour(grid, blocks, rank, d, step > 0) >= 0;
            place[d] = (place[d] + step + blocks.parts[d]) % blocks.parts[d];
        }
        if (there) all.push_back({direction, blocks.rank_at(place)});
    }
    return all;
}

double deepest_halo(const domain::Grid& grid, const Blocks& blocks) {
    double deepest = 0;
    for (std::size_t d = 0; d < 3; ++d)
        deepest = std::max(deepest, static_cast<double>(blocks.halo[d] * blocks.parts[d]) / static_cast<double>(grid.size[d]));
    return deepest;
}

bool have_middle(const domain::Grid& grid, const Blocks& blocks) {
    bool cut = false, wide = true;
    for (std::size_t d = 0; d < 3; ++d) {
        if (blocks.parts[d] == 1) continue;
        cut = true;
        wide = wide && grid.size[d] / blocks.parts[d] >= 3 * blocks.halo[d];
    }
    return cut && wide;
}

int neighbour(const domain::Grid& grid, const Blocks& blocks, int rank, std::size_t d, bool higher) {
    const Index parts = blocks.parts[d];
    if (parts == 1) return -1;
    Triple place = blocks.place_of(rank);
    const Index beside = place[d] + (higher ? 1 : -1);
    if ((beside < 0 || beside >= parts) && !domain::wraps(grid, 2 * d)) return -1;
    place[d] = (beside + parts) % parts;
    return blocks.rank_at(place);
}

}  // namespace mottle::ranks
