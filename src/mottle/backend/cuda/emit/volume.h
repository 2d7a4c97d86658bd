// mottle/backend/cuda/emit/volume.h: several steps in one pass over a volume: a block marches through the planes with a tile of columns and rows
#pragma once
#include "mottle/backend/cuda/emit/stream_text.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it. A block updates a tile of a strip in `chunk_planes` planes; it reads the halo
/// of the strip, and as many rows and planes more on each side as the steps reach. Inner strips are those whose rows can be read 16 bytes at a time: they touch
/// no border, or x wraps and rows end with the columns of a lane.
struct VolumeShape {
    int nx, ny, nz;
    int strips, tiles, chunks, chunk_planes;
    int first_strip, inner_strips;
    long long pitch;  ///< cells from one row to the next
};

/// How a block is made: `warps` warps of `rows` rows of columns each. It keeps two planes of every level in registers.
struct VolumeTile {
    int rows = 2, warps = 8;
    int height() const { return rows * warps; }
    int threads() const { return warps * kLanes; }
};

/// "" if this kernel can run the Program: its stages read neighbours one cell away along the axes, and all fields wrap along the same axes. Else the reason
/// why not.
std::string volume_obstacle(const StepPlan& plan, const domain::Grid& grid);
/// Registers that a thread with `rows` rows is expected to need; those that the compiler reports are in docs/notes/cuda.md.
int volume_registers(const StepPlan& plan, int steps, int rows);
/// The tile that leaves the largest share of a block's cells valid; warps = 0 if the registers hold none.
VolumeTile volume_tile(const StepPlan& plan, int steps);
/// The shape of a launch whose steps reach `reach` cells together; `chunk_planes` is taken as given.
VolumeShape volume_shape(const domain::Grid& grid, bool f64, int reach, const VolumeTile& tile, int chunk_planes, long long pitch);

/// Kernels `inner` and, where there are such strips, `border` that advance by `steps` steps; the last one is flush_step if `flush`. The text
/// depends on the sides of the grid and on whether rows end with the columns of a lane, not on its size.
ModuleText emit_volume(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush, const VolumeTile& tile);

}  // namespace mottle::backend::cuda
