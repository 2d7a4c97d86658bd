// mottle/backend/cuda/mesh/emit_patches.h: several steps of a mesh in one pass: a block advances a patch and its ghosts, a thread per row
#pragma once
#include "mottle/backend/cuda/mesh/stage.h"

namespace mottle::backend::cuda {

/// Threads of a multiprocessor, and of a block at most, in f32 and in f64: each has 64 or 128 registers.
inline constexpr int kSingleThreads = 1024, kDoubleThreads = 512;

/// What a text of patches is made for.
struct PatchShape {
    int steps = 2;      ///< of a pass, at most
    int threads = 512;  ///< of a block: rows of a patch
    int slots = 0;      ///< of a patch
    int kept =
        0;  ///< neighbours whose numbers and weights a thread keeps in registers from step to step; it reads those after them at every step
};

/// Why the steps of a Program on a mesh cannot share a pass; "": they can.
std::string patch_obstacle(const ir::Program& program);
/// The largest patch that a block of `threads` threads can hold; fewer threads, where they would have too few registers.
PatchShape patch_shape(const ir::Program& program, int steps, int threads);
/// Kernels `pass` and, if the Program flushes, `pass_flush`, whose last step is flush_step.
ModuleText emit_patches(const ir::Program& program, const PatchShape& shape);

}  // namespace mottle::backend::cuda
