// mottle/backend/cuda/emit/unfused.h: one kernel per stage, a thread for some cells of a column: any Program on any grid
#pragma once
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/step_plan.h"
#include "mottle/domain/grid.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it.
struct UnfusedShape {
    int nx, ny, nz;
    int tiles_x, tiles_y;  ///< tiles of a plane
    int width_bits;        ///< a tile is 2^width_bits cells wide; its 256 threads, of kUnfusedRows rows each, make up the rest
    long long pitch;       ///< cells from one row to the next
};
inline constexpr int kUnfusedThreads = 256;
inline constexpr int kUnfusedRows = 4;  ///< of a thread: a row that it reads serves three

/// Kernels step0, step1, .. for the stages of the step, then flush0, .. for those of flush_step. The text depends on the sides of the grid,
/// not on its size.
ModuleText emit_unfused(const ir::Program& program, const domain::Grid& grid);

/// Whether a stage loads an array that it stores at another cell than its own: then it stores into another copy.
inline bool needs_copy(const StageUse& stage, ir::Array array) {
    return stage.makes.contains(array) && stage.reach(array, 0) + stage.reach(array, 1) + stage.reach(array, 2) > 0;
}

}  // namespace mottle::backend::cuda
