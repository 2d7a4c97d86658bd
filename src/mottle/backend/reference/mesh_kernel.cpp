// mottle/backend/reference/mesh_kernel.cpp: interprets a Program on a mesh, stage by stage, neighbour by neighbour
#include "mottle/backend/reference/mesh_kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/backend/step_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mottle::backend::reference {
namespace {

constexpr Index kMeshPiece = 256;

using core::at;

template <class Real>
std::vector<Real> rounded(const std::vector<double>& values) {
    std::vector<Real> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](double x) { return ir::round_to<Real>(x); });
    return result;
}

}  // namespace

template <class Real>
ReferenceMeshKernel<Real>::ReferenceMeshKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                               core::Context& context)
    : ProgramKernel(program, domain, schedule, context),
      rows_(*std::get<domain::Mesh>(domain_).operators),
      piece_(static_cast<int>(std::min(domain::cell_count(domain_), kMeshPiece))),
      evaluator_(piece_),
      step_(plan_of(program_.step)),
      uniforms_(program.uniforms.size()) {
    if (program_.flush_step) flush_step_ = plan_of(*program_.flush_step);
    edges_.resize(static_cast<std::size_t>(ir::kEdgeTensor) + std::get<domain::Mesh>(domain_).tensors.size());
    const StepPlan plan(program_);
    const auto& mesh = std::get<domain::Mesh>(domain_);
    for (const int edge : plan.edges) edges_[at(edge)] = rounded<Real>(edge_weights(mesh, static_cast<ir::Edge>(edge)));
    for (const int axis : plan.tables) axes_[axis] = rounded<Real>(coordinate_table(mesh, static_cast<ir::Axis>(axis)));
}

template <class Real>
auto ReferenceMeshKernel<Real>::plan_of(const ir::Sweep& sweep) const -> std::vector<StagePlan> {
    std::vector<StagePlan> plans;
    for (const ir::Stage& stage : sweep.stages) plans.push_back({&stage, ir::split_ring(stage.code)});
    return plans;
}

template <class Real>
std::unique_ptr<State> ReferenceMeshKernel<Real>::create_state() {
    auto state = std::make_unique<MeshState>();
    state->now.assign(program_.arrays.size(), std::vector<Real>(at(domain::cell_count(domain_))));
    state->next = state->now;
    return state;
}

template <class Real>
void ReferenceMeshKernel<Real>::advance(State& state, Index first_step, Index n, UniformTable uniforms) {
    const FlushMode mode(!program_.f64);
    for (Index i = 0; i < n; ++i) {
        const auto row = uniforms.row(i);
        for (std::size_t k = 0; k < uniforms_.size(); ++k) uniforms_[k] = ir::round_to<Real>(row[k]);
        const bool flushes = program_.flushes(first_step + i, uniforms.stages);
        for (const StagePlan& plan : flushes ? flush_step_ : step_) run_stage(plan, static_cast<MeshState&>(state));
    }
}

template <class Real>
void ReferenceMeshKernel<Real>::run_stage(const StagePlan& plan, MeshState& state) {
    const Index count = domain::cell_count(domain_);
    for (Index begin = 0; begin < count; begin += piece_) {
        evaluate(plan, state, std::min(begin, count - piece_));  // the last piece may overlap the one before it
    }
    for (const auto& [array, value] : plan.stage->stores) std::swap(state.now[at(array)], state.next[at(array)]);
}

template <class Real>
void ReferenceMeshKernel<Real>::evaluate(const StagePlan& plan, MeshState& state, Index first) {
    const ir::Code& code = plan.stage->code;
    auto uniform = [&](int i) { return uniforms_[at(i)]; };
    auto fetch = [&](const ir::Instruction& instruction, std::span<Real> out) {
        const std::vector<Real>& from = instruction.op == ir::Op::axis ? axes_.at(instruction.index) : state.now[at(instruction.index)];
        std::copy_n(from.begin() + first, piece_, out.begin());
    };
    evaluator_.start(code);
    evaluator_.run_some(code, plan.split.before, uniform, fetch);
    if (!plan.split.sums.empty()) sum_rings(plan, state, first);
    evaluator_.run_some(code, plan.split.after, uniform, fetch);
    for (const auto& [array, value] : plan.stage->stores) {
        std::copy_n(evaluator_.value(value).begin(), piece_, state.next[at(array)].begin() + first);
    }
}

template <class Real>
void ReferenceMeshKernel<Real>::sum_rings(const StagePlan& plan, const MeshState& state, Index first) {
    const ir::Code& code = plan.stage->code;
    for (const ir::Value sum : plan.split.sums) std::ranges::fill(evaluator_.lanes(sum), Real(0));
    for (Index place = 0, longest = 1; place < longest; ++place) {  // the place-th neighbour of every vertex that has one
        auto entry = [&](Index lane) { return rows_.first[at(first + lane)] + place; };
        auto present = [&](Index lane) { return entry(lane) < rows_.first[at(first + lane) + 1]; };
        auto fetch = [&](const ir::Instruction& instruction, std::span<Real> out) {
            for (Index lane = 0; lane < piece_; ++lane) {
                if (!present(lane)) continue;
                const std::size_t k = at(entry(lane));
                out[at(lane)] = instruction.op == ir::Op::edge ? edges_[at(instruction.index)][k]
                                                               : state.now[at(instruction.index)][at(rows_.neighbour[k])];
            }
        };
        evaluator_.run_some(
            code, plan.split.body, [&](int i) { return uniforms_[at(i)]; }, fetch);
        for (const ir::Value sum : plan.split.sums) {
            const ir::Instruction& instruction = code[at(sum)];
            const auto a = evaluator_.lanes(instruction.args[0]), b = evaluator_.lanes(instruction.args[1]);
            const auto acc = evaluator_.lanes(sum);
            for (Index lane = 0; lane < piece_; ++lane) {
                longest = std::max(longest, rows_.first[at(first + lane) + 1] - rows_.first[at(first + lane)]);
                if (present(lane)) acc[at(lane)] = std::fma(a[at(lane)], b[at(lane)], acc[at(lane)]);
            }
        }
    }
}

template <class Real>
void ReferenceMeshKernel<Real>::read_cells(const State& state, ir::Array array, Index, ReadCells cells) const {
    const auto& from = static_cast<const MeshState&>(state).now[at(array)];
    const auto round = [&]<class Out>(std::span<Out> out) {
        std::transform(from.begin(), from.end(), out.begin(), [](Real x) { return ir::round_to<Out>(x); });
    };
    std::visit(round, cells);
}

template <class Real>
void ReferenceMeshKernel<Real>::write_row(State& state, ir::Array array, Index, std::span<const double> cells) {
    auto& to = static_cast<MeshState&>(state).now[at(array)];
    std::transform(cells.begin(), cells.end(), to.begin(), [](double x) { return ir::round_to<Real>(x); });
}

template class ReferenceMeshKernel<float>;
template class ReferenceMeshKernel<double>;

}  // namespace mottle::backend::reference
