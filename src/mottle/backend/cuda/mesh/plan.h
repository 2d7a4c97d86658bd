// mottle/backend/cuda/mesh/plan.h: what runs on a mesh: the cut, the order of the vertices, their rows, and the text
#pragma once
#include "mottle/backend/cuda/mesh/cut.h"
#include "mottle/backend/cuda/mesh/patches.h"
#include "mottle/backend/cuda/mesh/stage.h"

#include <optional>

namespace mottle::backend::cuda {

/// The same plan is run and printed: the text depends on whether the mesh can be cut into patches and on the distance between neighbours in memory.
struct MeshPlan {
    MeshCut cut;
    std::optional<MeshPatches> patches;  ///< none: a launch per stage
    std::vector<Vertex> order;           ///< position -> vertex
    bool wide = false;                   ///< numbers of neighbours take 32 bits
    ModuleText text;

    const MeshRows& rows() const { return patches ? patches->rows() : stage_rows; }
    MeshRows stage_rows;  ///< without patches
};
/// A mesh that the cost model or the schedule would cut into patches, but that cannot be cut because a vertex has too many others around it, uses a
/// launch per stage.
/// Throws: InputError, if a vertex has more than 255 neighbours.
MeshPlan plan_mesh(const ir::Program& program, const domain::Mesh& mesh, const CardMeshSchedule& schedule, const DeviceTraits& traits,
                   core::ThreadTeam& team);

}  // namespace mottle::backend::cuda
