// mottle/backend/cuda/emit/tile.h: several steps in one pass over a plane: a block keeps a tile of it in registers
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// How a block is made: `warps` warps of `rows` rows each, all of which it updates at each level. `blocks` of them share a multiprocessor.
struct PlaneTile {
    int rows = 0, warps = 0, blocks = 1;
    int height() const { return rows * warps; }
    int threads() const { return warps * kLanes; }
};

/// The tiles for which registers and shared memory suffice, lowest first; none for a Program that reads no neighbouring rows.
std::vector<PlaneTile> plane_tiles(const StepPlan& plan);
/// Registers that a thread with `rows` rows is expected to need; those that the compiler reports are in docs/notes/cuda.md.
int tile_registers(const StepPlan& plan, int rows);

/// The kernel `tile` that advances by `steps` steps; the last one is flush_step if `flush`. It takes a StreamShape whose chunks have
/// tile.height() - 2 * steps * step_reach rows, and a block for each. The text depends on the sides of the grid and on whether rows that wrap
/// end with the columns of a lane, not on its size.
ModuleText emit_tile(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush, const PlaneTile& tile);

}  // namespace mottle::backend::cuda
