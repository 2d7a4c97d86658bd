// mottle/backend/cuda/emit/whole.h: many small planes in one launch: a block keeps a whole plane in registers, for as many steps as are asked
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// How a block holds a plane: `warps` warps of `rows` rows each, `columns` columns in a lane.
struct WholePlane {
    int columns = 0, rows = 0, warps = 0;
    int blocks = 1;     ///< number of blocks for which a multiprocessor has registers
    bool ring = false;  ///< x wraps: the columns fill their lanes; else the columns begin in the second lane, and ghosts stand beside them
    int threads() const { return warps * kLanes; }
};

/// The block that holds a plane of the grid with the least work for a multiprocessor; it has 0 warps if no block can hold one.
WholePlane whole_plane(const StepPlan& plan, const domain::Grid& grid);
/// Registers that a thread is expected to need; those that the compiler reports are in docs/notes/cuda.md.
int whole_registers(const StepPlan& plan, int columns, int rows, bool ring);

/// What the kernel takes as `Shape`.
struct WholeShape {
    int nx, ny;
    long long pitch;  ///< cells from one row to the next
};

/// The words of 8 bytes that describe a member in the table for the kernel: the address of its numbers, by how many rows of numbers a step advances (0 or 1),
/// the number of steps, the number of steps before them, then the addresses of the arrays in `arrays`.
struct MemberLayout {
    std::vector<ir::Array> arrays;
    std::size_t words() const { return 4 + arrays.size(); }
};
MemberLayout member_layout(const StepPlan& plan);

/// The kernel `whole`: block i makes all steps of member i, in place; every eighth is flush_step if the Program has one.
ModuleText emit_whole(const StepPlan& plan, const domain::Grid& grid, const WholePlane& plane);

}  // namespace mottle::backend::cuda
