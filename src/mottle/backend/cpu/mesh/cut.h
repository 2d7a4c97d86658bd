// mottle/backend/cpu/mesh/cut.h: how a mesh is cut: the cost model of parts, fused steps and rings
#pragma once
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/backend/cpu/mesh/plan.h"
#include "mottle/backend/schedule.h"

namespace mottle::backend::cpu {

/// How a mesh is cut.
struct MeshCut {
    bool shared = true;  ///< one part for all threads, one stage per barrier; else parts with ghosts, several steps per exchange
    bool alone = false;  ///< shared, and so small that one thread finishes before it could wake the others, and does all the work
    int steps = 1;       ///< of one pass at most
    int parts = 1;       ///< sets that bisection starts from
    Index widest = 0;    ///< vertices of a part's widest level; 0: no bound
    Index ring = 1024;   ///< fewest vertices of a ring; in other orders the vertices that are sorted by their neighbours
    VertexOrder order = VertexOrder::rings;
};

/// Whether kernels for `isa` use gather instructions: as `request` says, else whichever is faster there.
bool gathers(const MeshSchedule& request, const Isa& isa);
/// Cuts a mesh for `threads` threads; numbers of `request` that are set win.
MeshCut choose_mesh_cut(const ir::Program& program, const MeshPlan& plan, const domain::Mesh& mesh, const MeshSchedule& request,
                        int threads);

}  // namespace mottle::backend::cpu
