// mottle/backend/cuda/mesh/cut.cpp: the cost model of meshes; its constants were fitted to what an H200 takes (docs/notes/cuda.md)
#include "mottle/backend/cuda/mesh/cut.h"

#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/mesh/emit_mesh.h"
#include "mottle/backend/cuda/mesh/emit_patches.h"
#include "mottle/backend/cuda/grid/passes.h"
#include "mottle/ir/program/ring.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mottle::backend::cuda {
namespace {

constexpr double kInstructions = 128 * 1.95e9;  // of single threads, per second and multiprocessor
constexpr double kFewest = 6.5e-7;              // seconds of a step of few vertices
constexpr double kBlock = 2.4e-6,
                 kLevel = 7.5e-7;   // seconds that a block alone takes to read and write its patch, and for a step in between
constexpr double kFilled = 0.9;     // of the threads of a block: patches differ
constexpr double kSmallest = 0.15;  // share of a block that a patch must own

/// Work and bytes of one vertex.
struct Costs {
    double valence, row_bytes, state_bytes, instructions;
};

Costs costs_of(const ir::Program& program, const domain::Mesh& mesh) {
    const double cell = program.f64 ? 8 : 4;
    const double valence =
        static_cast<double>(mesh.operators->neighbour.size()) / static_cast<double>(std::max<Index>(1, mesh.vertex_count()));
    const MeshLayout layout = mesh_layout(program);
    Costs costs{valence, valence * (layout.weight_stride * cell + 2) + 1, layout.state_stride * cell, 20};
    for (const ir::Stage& stage : program.step.stages) {
        const ir::RingSplit split = ir::split_ring(stage.code);
        costs.instructions += static_cast<double>(split.before.size() + split.after.size()) +
                              valence * static_cast<double>(split.body.size() + split.sums.size() + 6);
    }
    if (program.f64) costs.instructions *= 2;
    return costs;
}

/// Seconds of one step, a launch per stage.
double step_time(const ir::Program& program, const domain::Mesh& mesh, const DeviceTraits& traits) {
    const Costs costs = costs_of(program, mesh);
    const auto stages = static_cast<double>(program.step.stages.size());
    const double bytes = stages * costs.row_bytes + (1 + stages) * costs.state_bytes;
    const double each = std::max(bytes / kBandwidth, costs.instructions / kInstructions) / traits.processors;
    return std::max(static_cast<double>(mesh.vertex_count()) * each, stages * kFewest) + stages * kLaunch;
}

/// Seconds of one pass of `steps` steps over patches.
double pass_time(const ir::Program& program, const domain::Mesh& mesh, int steps, int threads, const DeviceTraits& traits) {
    const PatchShape shape = patch_shape(program, steps, threads);
    if (shape.threads < threads) return std::numeric_limits<double>::infinity();
    const auto owned = static_cast<double>(owned_by_patch(program, steps, threads));
    if (owned < kSmallest * threads) return std::numeric_limits<double>::infinity();
    const Costs costs = costs_of(program, mesh);
    auto within = [&](int hops) { return std::pow(std::sqrt(owned) + 2 * hops, 2.0); };
    const double bytes = costs.row_bytes * within(steps - 1) + costs.state_bytes * (within(steps) + owned) + 4 * (within(steps) - owned);
    double updates = 0;
    for (int level = 1; level <= steps; ++level) updates += within(steps - level);
    const double read_again = std::max(0.0, 1 - shape.kept / costs.valence) * costs.row_bytes * updates;  // what registers do not hold
    const double patches = std::ceil(static_cast<double>(mesh.vertex_count()) / owned);
    const double each =
        std::max({bytes / kBandwidth, read_again / kCache, updates * costs.instructions / kInstructions}) / traits.processors;
    const double resident = std::max(1, (program.f64 ? kDoubleThreads : kSingleThreads) / threads) * traits.processors;
    return std::max(patches * each, std::ceil(patches / resident) * (kBlock + steps * kLevel)) + kLaunch;
}

int threads_of(const CardMeshSchedule& schedule, int unsaid) {
    return schedule.threads ? std::clamp((*schedule.threads + 31) / 32 * 32, 32, 1024) : unsaid;
}

}  // namespace

Index owned_by_patch(const ir::Program& program, int steps, int threads) {
    const PatchShape shape = patch_shape(program, steps, threads);
    const double side = std::min(std::sqrt(kFilled * shape.threads) - 2.0 * (steps - 1), std::sqrt(kFilled * shape.slots) - 2.0 * steps);
    return std::max<Index>(1, static_cast<Index>(side > 0 ? side * side : 1));
}

MeshCut choose_mesh_cut(const ir::Program& program, const domain::Mesh& mesh, const CardMeshSchedule& schedule,
                        const DeviceTraits& traits) {
    MeshCut best{1, threads_of(schedule, kMeshThreads), schedule.order.value_or(VertexOrder::rings)};
    const bool ordered = best.order != VertexOrder::rings;
    if (schedule.steps == 1 || ordered || !patch_obstacle(program).empty()) return best;
    const int most = steps_of_numbers(program, kPatchSteps);
    int unasked = most;  // fewer steps were slower on every mesh that was measured; passes end where numbers are flushed
    while (program.f64 && ir::kFlushPeriod % unasked != 0) --unasked;
    double least = schedule.steps ? std::numeric_limits<double>::infinity() : step_time(program, mesh, traits);
    for (int steps = 2; steps <= most; ++steps) {
        if (steps != (schedule.steps ? std::min(*schedule.steps, most) : unasked)) continue;
        for (int threads = threads_of(schedule, 128); threads <= threads_of(schedule, 1024); threads *= 2) {
            const double time = pass_time(program, mesh, steps, threads, traits) / steps;
            if (time < least || (schedule.steps && best.steps == 1)) {
                least = time;
                best = {steps, patch_shape(program, steps, threads).threads, VertexOrder::rings};
            }
        }
    }
    return best;
}

}  // namespace mottle::backend::cuda
