// mottle/backend/cuda/emit/stream.h: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

inline constexpr int kStreamThreads = 128;     ///< four warps, which are independent of each other
inline constexpr int kRegistersOfFour = 128;   ///< of a thread, if four warps are to share a scheduler
inline constexpr int kRegistersOfThree = 168;  ///< the same for three
inline constexpr int kRegistersOfTwo = 224;  ///< the same for two warps, compared with the expected number; the compiler may use up to 255

/// Registers that a thread is expected to need; those that the compiler reports are in docs/notes/cuda.md.
int stream_registers(const StepPlan& plan, int steps);
/// Warps of `inner` that share a scheduler, which is as many as there are blocks on a multiprocessor.
int stream_warps(const StepPlan& plan, int steps);

/// Kernels `inner` and, unless has_no_border, `border` that advance by `steps` steps; the last one is flush_step if `flush`. The text depends on the
/// sides of the grid and on whether rows that wrap end with the columns of a lane, not on its size.
ModuleText emit_stream(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush);

}  // namespace mottle::backend::cuda
