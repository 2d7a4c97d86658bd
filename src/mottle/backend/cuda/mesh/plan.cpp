// mottle/backend/cuda/mesh/plan.cpp: what runs on a mesh
#include "mottle/backend/cuda/mesh/plan.h"

#include "mottle/backend/cuda/mesh/emit_mesh.h"
#include "mottle/backend/cuda/mesh/emit_patches.h"

namespace mottle::backend::cuda {
namespace {

using core::at;

/// False: the mesh cannot be cut into patches.
bool plan_patches(MeshPlan& plan, const ir::Program& program, const domain::Mesh& mesh, core::ThreadTeam& team) {
    const PatchShape shape = patch_shape(program, plan.cut.steps, plan.cut.threads);
    MeshPatches patches(mesh, {shape.steps, shape.threads, shape.slots}, owned_by_patch(program, plan.cut.steps, plan.cut.threads), team);
    if (patches.impossible()) return false;
    plan.order = patches.order();
    plan.patches = std::move(patches);
    plan.text = emit_patches(program, shape);
    return true;
}

void plan_stages(MeshPlan& plan, const ir::Program& program, const domain::Mesh& mesh, core::ThreadTeam& team) {
    plan.order = device_order(mesh, plan.cut.order, team);
    std::vector<std::int32_t> position(plan.order.size());
    for (std::size_t p = 0; p < plan.order.size(); ++p) position[at(plan.order[p])] = static_cast<std::int32_t>(p);
    plan.stage_rows.add(*mesh.operators, plan.order, position);
    plan.wide = !plan.stage_rows.shorten();
    plan.text = emit_mesh(program, plan.cut.threads, plan.wide);
}

}  // namespace

MeshPlan plan_mesh(const ir::Program& program, const domain::Mesh& mesh, const CardMeshSchedule& schedule, const DeviceTraits& traits,
                   core::ThreadTeam& team) {
    MeshPlan plan;
    plan.cut = choose_mesh_cut(program, mesh, schedule, traits);
    if (plan.cut.steps > 1 && plan_patches(plan, program, mesh, team)) return plan;
    CardMeshSchedule alone = schedule;
    alone.steps = 1;  // the threads of a block were chosen for patches
    plan.cut = choose_mesh_cut(program, mesh, alone, traits);
    plan_stages(plan, program, mesh, team);
    return plan;
}

}  // namespace mottle::backend::cuda
