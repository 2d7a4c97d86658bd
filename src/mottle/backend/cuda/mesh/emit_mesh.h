// mottle/backend/cuda/mesh/emit_mesh.h: one kernel per stage on a mesh, a thread per vertex over rows in slices of 32
#pragma once
#include "mottle/backend/cuda/mesh/stage.h"

namespace mottle::backend::cuda {

/// Threads of a block, if a schedule does not set them.
inline constexpr int kMeshThreads = 256;
/// Kernels step0, step1, .. and flush0, ... `wide`: the rows have numbers of 32 bits. The text does not depend on the mesh.
ModuleText emit_mesh(const ir::Program& program, int threads, bool wide);

}  // namespace mottle::backend::cuda
