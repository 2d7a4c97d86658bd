// mottle/backend/cuda/emit_mesh.h: one kernel per stage on a mesh, a thread per vertex over rows in slices of 32
#pragma once
#include "mottle/backend/cuda/emit_operations.h"

#include <vector>

namespace mottle::backend::cuda {

/// How numbers lie on the device.
struct MeshLayout {
    std::vector<int> edges;  ///< ir::Edge kinds that the Program reads, ascending
    int weight_stride = 1;   ///< numbers per neighbour: edges, made up to 1, 2 or a multiple of 4
    int state_stride = 1;    ///< numbers per vertex: fields, made up in the same way, so that one load fetches them

    int weight_of(int edge) const;  ///< its place among the numbers of a neighbour
};
MeshLayout mesh_layout(const ir::Program& program);

inline constexpr int kMeshThreads = 256;
/// Kernels step0, step1, .. and flush0, ... The text does not depend on the mesh.
ModuleText emit_mesh(const ir::Program& program);

}  // namespace mottle::backend::cuda
