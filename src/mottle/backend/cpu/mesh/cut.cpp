// mottle/backend/cpu/mesh/cut.cpp: the cost model of meshes: when weights fit the caches, and how deep a pass may be
#include "mottle/backend/cpu/mesh/cut.h"

#include <algorithm>

namespace mottle::backend::cpu {
namespace {

constexpr double kMeshCacheBytes = 0.75 * (2 << 20);  // of one core's L2: the rest is for what streams through
constexpr int kLevels = 10;                           // of a pass
constexpr Index kSharedRing = 1024, kPartRing = 256;
constexpr double kAloneEntries = 12 * 1024;  // some 5 us of one thread: a barrier takes 1 us, and a hundred where other programs run

}  // namespace

bool gathers(const MeshSchedule& request, const Isa& isa) { return request.gather ? *request.gather == Gather::vector : isa.gather; }

MeshCut choose_mesh_cut(const ir::Program& program, const MeshPlan& plan, const domain::Mesh& mesh, const MeshSchedule& request,
                        int threads) {
    const auto vertices = static_cast<double>(mesh.vertex_count());
    const double entries = static_cast<double>(mesh.operators->neighbour.size()) / vertices;
    const double vertex_bytes =
        entries * static_cast<double>(plan.entry_bytes(program.f64)) + 2.0 * kWordBytes * static_cast<double>(plan.groups.size());
    MeshCut cut;
    const bool fits = vertices * vertex_bytes / threads <= kMeshCacheBytes;
    if (request.order && *request.order != VertexOrder::rings) {
        cut.ring = kSharedRing;
        cut.order = *request.order;
        return cut;
    }
    if (request.steps == 1 || (!request.steps && !request.parts && fits)) {
        cut.ring = kSharedRing;
        cut.alone = !request.steps && vertices * entries <= kAloneEntries;
        return cut;
    }
    cut.shared = false;
    cut.steps = request.steps ? *request.steps : std::max(1, kLevels / plan.stages);
    cut.parts = request.parts.value_or(threads);
    cut.ring = kPartRing;
    const double levels = static_cast<double>(cut.steps * plan.stages);
    if (!request.parts) cut.widest = std::max<Index>(64, static_cast<Index>(kMeshCacheBytes / ((levels + 1) * vertex_bytes)));
    return cut;
}

}  // namespace mottle::backend::cpu
