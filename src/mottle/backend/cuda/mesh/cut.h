// mottle/backend/cuda/mesh/cut.h: the cost model of meshes: how many steps one pass makes, and how many threads a block has
#pragma once
#include "mottle/backend/cuda/device/device.h"
#include "mottle/backend/schedule.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::backend::cuda {

inline constexpr int kPatchSteps = 8;  ///< of a pass, at most

/// Schedule with every choice made.
struct MeshCut {
    int steps = 1;                           ///< of one pass over patches; 1: a launch per stage
    int threads = 256;                       ///< of a block
    VertexOrder order = VertexOrder::rings;  ///< file and morton: for a launch per stage
};
/// Choices that `schedule` leaves open are made for the lowest predicted time per step.
MeshCut choose_mesh_cut(const ir::Program& program, const domain::Mesh& mesh, const CardMeshSchedule& schedule, const DeviceTraits& traits);

/// Number of vertices that a patch should own so that, with its ghosts, it probably fits a block.
Index owned_by_patch(const ir::Program& program, int steps, int threads);

}  // namespace mottle::backend::cuda
