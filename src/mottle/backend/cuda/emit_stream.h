// mottle/backend/cuda/emit_stream.h: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#pragma once
#include "mottle/backend/cuda/stream_text.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it. A warp updates `chunk_rows` rows of a strip; it reads `halo` columns and `steps`
/// rows more on each side. Strips and chunks that touch no border are inner ones: a rectangle of them.
struct StreamShape {
    int nx, ny;
    int strips, chunks, chunk_rows;
    int first_strip, inner_strips, first_chunk, inner_chunks;
    long long pitch;  ///< cells from one row to the next
};
inline constexpr int kStreamThreads = 128;     ///< four warps, which know nothing of each other
inline constexpr int kRegistersOfThree = 168;  ///< of a thread, so that three warps share a scheduler

/// The shape of a launch; `chunk_rows` is taken as given.
StreamShape stream_shape(const domain::Grid& grid, bool f64, int steps, int chunk_rows, long long pitch);

/// Whether the Program's step is of the kind: a plane, one stage, neighbours at most one cell away, fields that wrap alike. Else the reason.
std::string stream_obstacle(const ir::Program& program, const domain::Grid& grid);
/// Registers that a thread is expected to need; measured ones are in docs/gpu-measurements.md.
int stream_registers(const ir::Program& program, int steps);

/// Kernels `inner` and `border` that advance by `steps` steps; the last one is flush_step if `flush`. The text depends on the sides of the grid, not on its size.
ModuleText emit_stream(const ir::Program& program, const domain::Grid& grid, int steps, bool flush);

}  // namespace mottle::backend::cuda
