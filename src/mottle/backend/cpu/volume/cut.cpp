// mottle/backend/cpu/volume/cut.cpp: the cost model of volumes: how many slabs, how many fused steps, how large a tile
#include "mottle/backend/cpu/volume/cut.h"

#include "mottle/core/system_memory.h"

#include <algorithm>

namespace mottle::backend::cpu {
namespace {

/// How many rows a tile has. Two rows of each level come from the tile before, and what outgrows the L2 comes from the L3: on machines with 2 MiB of L2 for
/// each core, whose L3 is slow, that is worse than short tiles; on those with less it is not (docs/notes/volumes.md).
struct TileRule {
    double cache = 1 << 20;  ///< bytes that the live window may take
    Index fewest = 20;       ///< rows
};

TileRule tile_rule() {
    const std::size_t cache = core::second_level_cache();
    return cache < (std::size_t{2} << 20) ? TileRule{} : TileRule{0.4 * static_cast<double>(cache), 12};
}

constexpr Index kPieceBytes = 36 << 10;  // of the rows of a volume that one call reads, to be found in the L1 by the next
constexpr double kPassCost = 2;          // of a volume: moving a cell through memory, in updates of a cell
constexpr double kFarSaving = 0.16;      // of that, what more steps of one stage spare in the L3
constexpr int kMostFarLevels = 8;        // whose window does not stay in the L2

// Vectors of a row that one call updates: in each plane, the call for row y + 1 reads two of the rows that the call for row y has read.
Index choose_piece(const Plan& plan, const Cut& cut) {
    const RowLayout& layout = cut.strips.strips[0].layout;
    std::size_t most = 0;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        std::size_t bytes = 0;
        for (const RowInput& input : plan.stages[s].inputs) {
            const int rows = cut.calls.rows[s] * (input.beside ? 3 : 1) + input.high - input.low;
            bytes += core::at(rows) * plan.groups[core::at(input.group)].arrays.size() * layout.vector_bytes();
        }
        most = std::max(most, bytes);
    }
    const auto pieces = static_cast<Index>(most * core::at(layout.columns()) / kPieceBytes + 1);
    return (layout.columns() + pieces - 1) / pieces;
}

}  // namespace

// What a step of a volume costs, in updates of a cell: every pass goes through memory once, or every step where the live window (some two planes per
// level) does not stay in the L2. Then more steps in a pass still spare a little, and less with more stages: they take longer, and their window is larger.
Cut choose_volume_cut(const ir::Program& program, const Plan& plan, const domain::Grid& grid, const VolumeSchedule& request, const Isa& isa,
                      int threads) {
    Cut cut;
    cut.strips = whole_row(grid, isa, program.f64);
    choose_blocks(program, plan, request.rows, emit_options(isa, cut.strips), cut);
    const auto height = static_cast<double>(grid.size[1]), depth = static_cast<double>(grid.size[2]);
    cut.parts = static_cast<int>(std::min<Index>(request.slabs.value_or(threads), grid.size[1]));
    const auto slot = static_cast<double>(slot_bytes(plan, cut.strips.strips[0].layout)), own = height / cut.parts;
    const double memory = slot * own * depth > static_cast<double>(kCacheBytes) ? kPassCost : kPassCost / 8;
    const auto stages = static_cast<double>(plan.stages.size());
    const bool tiled = plan.stages.size() == 1;
    const TileRule tiles = tile_rule();
    const auto window_rows = [&](int steps) {  // of the planes between the first and the last level, that the L2 holds
        return static_cast<Index>(tiles.cache / (((plan.skew + 1) * steps + cut.calls.block + 2) * slot));
    };
    const auto fits = [&](int steps) { return tiled || static_cast<double>(window_rows(steps)) >= own; };
    const auto cost = [&](int steps) {
        const double again = fits(steps) ? 0 : 1 - kFarSaving / (stages * stages);
        return 1 + memory * (again + (1 - again) / steps);
    };
    cut.steps = request.steps.value_or(1);
    for (const int steps : {2, 4, 8}) {
        const bool few = fits(steps) || steps * std::ssize(plan.stages) <= kMostFarLevels;
        if (!request.steps && few && cost(steps) < cost(cut.steps)) cut.steps = steps;
    }
    if (tiled) cut.tile = request.tile ? *request.tile : std::max(window_rows(cut.steps), tiles.fewest);
    if (static_cast<double>(cut.tile) >= own) cut.tile = 0;
    cut.piece = choose_piece(plan, cut);
    // What a slab reads beyond its last rows comes from the next one alone; where the grid ends, so does what it gives back.
    while (cut.parts > 1 && grid.size[1] / cut.parts < 2 * plan.beside) --cut.parts;
    if (cut.parts > 1 && plan.beside > 0 && !domain::wraps(grid, domain::kTop))
        cut.steps = static_cast<int>(std::clamp<Index>(grid.size[1] / cut.parts / plan.beside - 1, 1, cut.steps));
    return cut;
}

}  // namespace mottle::backend::cpu
