// mottle/backend/cpu/cut.cpp: the cost model: how many bands, how many fused steps, how many rows per call
#include "mottle/backend/cpu/kernel.h"

#include <algorithm>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{2} << 20;  // L2 of one core
constexpr int kMostSteps = 16;
constexpr Index kFewestRows = 16;  // below that a band is mostly ghosts

std::size_t slot_bytes(const Plan& plan, const RowLayout& layout) {
    std::size_t arrays = 0;
    for (const auto& group : plan.groups) arrays += group.arrays.size();
    return arrays * layout.array_pitch();
}

// The live window (rows between the first and the last level, twice, since rows shift) should fill most of the L2, not overflow it.
int choose_steps(const Plan& plan, const RowLayout& layout, int block) {
    std::size_t rows = kCacheBytes * 9 / 10 / slot_bytes(plan, layout);
    int skew = 0;
    for (const auto& stage : plan.stages) skew += stage.skew;
    int reach = std::max(1, skew + plan.radius);
    int steps = (static_cast<int>(std::min<std::size_t>(rows, 4096)) - block - 2) / reach;
    return std::clamp(steps, 4, kMostSteps);
}

}  // namespace

Cut choose_cut(const ir::Program& program, const Plan& plan, const RowLayout& layout, const domain::Grid& grid, const Schedule& request, const EmitOptions& options,
               int threads) {
    Cut cut;
    Index height = grid.size[1];
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        int rows = request.rows > 0 ? request.rows : choose_rows(program, plan, static_cast<int>(s), options);
        cut.rows.push_back(std::min<int>(rows, 8));
        cut.block = std::max(cut.block, cut.rows.back());
    }
    Index most_parts = request.parts > 0 ? height : std::max<Index>(1, height / kFewestRows);
    cut.parts = static_cast<int>(std::min<Index>(request.parts > 0 ? request.parts : threads, most_parts));
    cut.steps = request.steps > 0 ? request.steps : choose_steps(plan, layout, cut.block);
    // ghost rows come from the next band alone; a single band with physical borders has none
    bool ghosts = cut.parts > 1 || grid.sides[domain::kTop].rule == domain::Rule::periodic;
    if (ghosts && plan.radius > 0) {
        Index thinnest = height / cut.parts;
        while (cut.parts > 1 && thinnest < plan.radius) thinnest = height / --cut.parts;
        cut.steps = static_cast<int>(std::clamp<Index>(thinnest / plan.radius, 1, cut.steps));
    }
    return cut;
}

std::string kernel_text(const ir::Program& program, const Plan& plan, const Cut& cut, const EmitOptions& options) {
    return emit_grid(program, plan, cut.rows, options);
}

EmitOptions emit_options(const Isa& isa, const RowLayout& layout) {
    return {isa, layout.lanes(), layout.overlap(), {}};
}

RowLayout layout_for(const domain::Grid& grid, const Isa& isa, bool f64) {
    std::size_t scalar = f64 ? 8 : 4;
    return RowLayout(grid.size[0], isa.register_bytes / static_cast<int>(scalar), scalar);
}

}  // namespace mottle::backend::cpu
