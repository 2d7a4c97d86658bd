// mottle/backend/reference/kernel.cpp: interprets a Program stage by stage, on a mesh neighbour by neighbour
#include "mottle/backend/reference/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/backend/reference/ghosts.h"
#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace mottle::backend::reference {
namespace {

constexpr Index kPiece = 1024, kMeshPiece = 256;

using core::at;

bool loads_neighbours(const ir::Instruction& instruction) {
    return instruction.op == ir::Op::load && instruction.offset != std::array<std::int8_t, 3>{0, 0, 0};
}

Triple pad_of(const ir::Program& program, const Triple& size) {
    Triple pad{};
    for (const StageUse& stage : StepPlan(program).stages) {
        for (std::size_t d = 0; d < 3; ++d) pad[d] = std::max<Index>(pad[d], stage.reach(d));
    }
    for (std::size_t d = 0; d < 3; ++d) {
        if (pad[d] > size[d]) {
            throw core::InternalError("a stencil reaches " + std::to_string(pad[d]) + " cells along an axis of " + std::to_string(size[d]));
        }
    }
    return pad;
}

template <class Real>
std::vector<Real> rounded(const std::vector<double>& values) {
    std::vector<Real> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](double x) { return ir::round_to<Real>(x); });
    return result;
}

}  // namespace

template <class Real>
ReferenceKernel<Real>::ReferenceKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                       core::Context& context)
    : ProgramKernel(program, domain, schedule, context),
      grid_(std::get_if<domain::Grid>(&domain_)),
      size_(grid_ ? grid_->size : Triple{domain::cell_count(domain_), 1, 1}),
      pad_(pad_of(program, size_)),
      piece_(static_cast<int>(std::min(size_[0], grid_ ? kPiece : kMeshPiece))),
      evaluator_(piece_),
      step_(plan_of(program_.step)),
      uniforms_(program.uniforms.size()) {
    if (program_.flush_step) flush_step_ = plan_of(*program_.flush_step);
    const StepPlan plan(program_);
    const auto* mesh = std::get_if<domain::Mesh>(&domain_);
    for (const int edge : plan.edges) edges_[edge] = rounded<Real>(edge_weights(*mesh, static_cast<ir::Edge>(edge)));
    for (const int used : plan.tables) {
        const auto axis = static_cast<ir::Axis>(used);
        axes_[used] = rounded<Real>(grid_ ? coordinate_table(*grid_, axis) : coordinate_table(*mesh, axis));
    }
}

template <class Real>
auto ReferenceKernel<Real>::plan_of(const ir::Sweep& sweep) -> std::vector<StagePlan> {
    std::vector<StagePlan> plans;
    for (const ir::Stage& stage : sweep.stages) plans.push_back({&stage, ir::split_ring(stage.code)});
    return plans;
}

template <class Real>
std::unique_ptr<State> ReferenceKernel<Real>::create_state() {
    try {
        auto state = std::make_unique<ReferenceState>();
        state->now.assign(program_.arrays.size(), PaddedArray<Real>(size_, pad_));
        state->next = state->now;
        return state;
    } catch (const std::bad_alloc&) {
        if (!grid_) throw;
        const double bytes =
            2.0 * static_cast<double>(program_.arrays.size() * sizeof(Real)) * static_cast<double>(domain::cell_count(domain_));
        throw core::DeviceError("out of memory: the reference backend needs " + core::si_text(bytes, "B") + " for a " +
                                domain::describe(domain_) + "; choose a smaller --size");
    }
}

template <class Real>
void ReferenceKernel<Real>::advance(State& state, Index first_step, Index n, UniformTable uniforms) {
    const FlushMode mode(!program_.f64);
    for (Index i = 0; i < n; ++i) {
        const auto row = uniforms.row(i);
        for (std::size_t k = 0; k < uniforms_.size(); ++k) uniforms_[k] = ir::round_to<Real>(row[k]);
        const bool flushes = program_.flushes(first_step + i, uniforms.stages);
        for (const StagePlan& plan : flushes ? flush_step_ : step_) run_stage(plan, static_cast<ReferenceState&>(state));
    }
}

template <class Real>
void ReferenceKernel<Real>::run_stage(const StagePlan& plan, ReferenceState& state) {
    std::vector<bool> filled(program_.arrays.size());
    for (const auto& instruction : plan.stage->code) {
        if (!loads_neighbours(instruction) || filled[at(instruction.index)]) continue;
        const auto& rule = program_.ghosts_of(instruction.index);
        fill_ghosts<Real>(state.now[at(instruction.index)], rule, uniforms_);
        filled[at(instruction.index)] = true;
    }
    for (Index z = 0; z < size_[2]; ++z) {
        for (Index y = 0; y < size_[1]; ++y) {
            for (Index begin = 0; begin < size_[0]; begin += piece_)
                evaluate(plan, state, {std::min(begin, size_[0] - piece_), y, z});  // the last piece may overlap the one before it
        }
    }
    for (const auto& [array, value] : plan.stage->stores) std::swap(state.now[at(array)], state.next[at(array)]);
}

template <class Real>
void ReferenceKernel<Real>::evaluate(const StagePlan& plan, ReferenceState& state, const Triple& first) {
    const ir::Code& code = plan.stage->code;
    const Index x = first[0], y = first[1], z = first[2];
    auto value_of = [&](int i) { return uniform(i); };
    auto fetch = [&](const ir::Instruction& instruction, std::span<Real> out) {
        const auto [dx, dy, dz] = instruction.offset;
        if (instruction.op == ir::Op::axis) {
            fetch_axis(instruction.index, {x + dx, y + dy, z + dz}, out);
        } else {
            std::copy_n(state.now[at(instruction.index)].row(y + dy, z + dz) + x + dx, piece_, out.data());
        }
    };
    evaluator_.start(code);
    evaluator_.run_some(code, plan.split.before, value_of, fetch);
    if (!plan.split.sums.empty()) sum_rings(plan, state, x);
    evaluator_.run_some(code, plan.split.after, value_of, fetch);
    for (const auto& [array, value] : plan.stage->stores)
        std::copy_n(evaluator_.value(value).data(), piece_, state.next[at(array)].row(y, z) + x);
}

template <class Real>
void ReferenceKernel<Real>::sum_rings(const StagePlan& plan, const ReferenceState& state, Index first) {
    const ir::Code& code = plan.stage->code;
    const domain::MeshOperators& rows = *std::get<domain::Mesh>(domain_).operators;
    for (const ir::Value sum : plan.split.sums) std::ranges::fill(evaluator_.lanes(sum), Real(0));
    for (Index place = 0, longest = 1; place < longest; ++place) {  // the place-th neighbour of every vertex that has one
        auto entry = [&](Index lane) { return rows.first[at(first + lane)] + place; };
        auto present = [&](Index lane) { return entry(lane) < rows.first[at(first + lane) + 1]; };
        auto fetch = [&](const ir::Instruction& instruction, std::span<Real> out) {
            const bool edge = instruction.op == ir::Op::edge;
            const Real* from = edge ? edges_.at(instruction.index).data() : state.now[at(instruction.index)].row(0, 0);
            for (Index lane = 0; lane < piece_; ++lane) {
                if (present(lane)) out[at(lane)] = from[edge ? entry(lane) : rows.neighbour[at(entry(lane))]];
            }
        };
        evaluator_.run_some(
            code, plan.split.body, [&](int i) { return uniform(i); }, fetch);
        for (const ir::Value sum : plan.split.sums) {
            const ir::Instruction& instruction = code[at(sum)];
            const auto a = evaluator_.lanes(instruction.args[0]), b = evaluator_.lanes(instruction.args[1]);
            const auto acc = evaluator_.lanes(sum);
            for (Index lane = 0; lane < piece_; ++lane) {
                longest = std::max(longest, rows.first[at(first + lane) + 1] - rows.first[at(first + lane)]);
                if (present(lane)) acc[at(lane)] = std::fma(a[at(lane)], b[at(lane)], acc[at(lane)]);
            }
        }
    }
}

template <class Real>
void ReferenceKernel<Real>::fetch_axis(int axis, const Triple& first, std::span<Real> out) const {
    const std::vector<Real>& table = axes_.at(axis);
    const int d = grid_ ? direction(static_cast<ir::Axis>(axis)) : 0;
    Index i = first[at(d)];
    for (Real& x : out) {
        x = table[at(grid_ ? inside_cell(*grid_, d, i) : i)];
        if (d == 0) ++i;
    }
}

template <class Real>
void ReferenceKernel<Real>::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    const Real* from = static_cast<const ReferenceState&>(state).now[at(array)].row(row % size_[1], row / size_[1]);
    const auto round = [&]<class Out>(std::span<Out> out) {
        std::transform(from, from + out.size(), out.begin(), [](Real x) { return ir::round_to<Out>(x); });
    };
    std::visit(round, cells);
}

template <class Real>
void ReferenceKernel<Real>::write_row(State& state, ir::Array array, Index row, std::span<const double> cells) {
    Real* to = static_cast<ReferenceState&>(state).now[at(array)].row(row % size_[1], row / size_[1]);
    for (std::size_t i = 0; i < cells.size(); ++i) to[i] = ir::round_to<Real>(cells[i]);
}

template class ReferenceKernel<float>;
template class ReferenceKernel<double>;

}  // namespace mottle::backend::reference
