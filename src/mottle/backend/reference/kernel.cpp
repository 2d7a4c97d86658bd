// mottle/backend/reference/kernel.cpp: interprets a Program stage by stage
#include "mottle/backend/reference/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/backend/reference/ghosts.h"
#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <new>
#include <utility>

namespace mottle::backend::reference {
namespace {

constexpr Index kPiece = 1024;

using core::at;

bool loads_neighbours(const ir::Instruction& instruction) {
    return instruction.op == ir::Op::load && instruction.offset != std::array<std::int8_t, 3>{0, 0, 0};
}

Triple pad_of(const ir::Program& program, const domain::Grid& grid) {
    Triple pad{};
    for (const StageUse& stage : StepPlan(program).stages) {
        for (std::size_t d = 0; d < 3; ++d) pad[d] = std::max<Index>(pad[d], stage.reach(d));
    }
    for (std::size_t d = 0; d < 3; ++d) {
        if (pad[d] > grid.size[d]) {
            throw core::InternalError("a stencil reaches " + std::to_string(pad[d]) + " cells along an axis of " +
                                      std::to_string(grid.size[d]));
        }
    }
    return pad;
}

}  // namespace

template <class Real>
ReferenceKernel<Real>::ReferenceKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                       core::Context& context)
    : ProgramKernel(program, domain, schedule, context),
      grid_(std::get<domain::Grid>(domain)),
      pad_(pad_of(program, grid_)),
      piece_(static_cast<int>(std::min(grid_.size[0], kPiece))),
      evaluator_(piece_),
      uniforms_(program.uniforms.size()) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        for (double x : coordinate_table(grid_, static_cast<ir::Axis>(axis))) axes_[axis].push_back(ir::round_to<Real>(x));
    }
}

template <class Real>
std::unique_ptr<State> ReferenceKernel<Real>::create_state() {
    try {
        auto state = std::make_unique<ReferenceState>();
        state->now.assign(program_.arrays.size(), PaddedArray<Real>(grid_.size, pad_));
        state->next = state->now;
        return state;
    } catch (const std::bad_alloc&) {
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
        const ir::Sweep& sweep = flushes ? *program_.flush_step : program_.step;
        for (const auto& stage : sweep.stages) run_stage(stage, static_cast<ReferenceState&>(state));
    }
}

template <class Real>
void ReferenceKernel<Real>::run_stage(const ir::Stage& stage, ReferenceState& state) {
    std::vector<bool> filled(program_.arrays.size());
    for (const auto& instruction : stage.code) {
        if (!loads_neighbours(instruction) || filled[at(instruction.index)]) continue;
        const auto& rule = program_.ghosts_of(instruction.index);
        fill_ghosts<Real>(state.now[at(instruction.index)], rule, uniforms_);
        filled[at(instruction.index)] = true;
    }
    for (Index z = 0; z < grid_.size[2]; ++z) {
        for (Index y = 0; y < grid_.size[1]; ++y) evaluate_row(stage, state, y, z);
    }
    for (const auto& [array, value] : stage.stores) std::swap(state.now[at(array)], state.next[at(array)]);
}

template <class Real>
void ReferenceKernel<Real>::evaluate_row(const ir::Stage& stage, ReferenceState& state, Index y, Index z) {
    const Index nx = grid_.size[0];
    for (Index begin = 0; begin < nx; begin += piece_) {
        const Index x = std::min(begin, nx - piece_);  // the last piece may overlap the one before it
        auto fetch = [&](const ir::Instruction& instruction, std::span<Real> out) {
            const auto [dx, dy, dz] = instruction.offset;
            if (instruction.op == ir::Op::axis) {
                fetch_axis(instruction, {x + dx, y + dy, z + dz}, out);
            } else {
                std::copy_n(state.now[at(instruction.index)].row(y + dy, z + dz) + x + dx, piece_, out.data());
            }
        };
        evaluator_.run(
            stage.code, [&](int i) { return uniforms_[at(i)]; }, fetch);
        for (const auto& [array, value] : stage.stores) {
            std::copy_n(evaluator_.value(value).data(), piece_, state.next[at(array)].row(y, z) + x);
        }
    }
}

template <class Real>
void ReferenceKernel<Real>::fetch_axis(const ir::Instruction& instruction, std::array<Index, 3> first, std::span<Real> out) const {
    const int d = direction(static_cast<ir::Axis>(instruction.index));
    const auto& table = axes_[at(instruction.index)];
    Index i = first[at(d)];
    for (Real& x : out) {
        x = table[at(inside_cell(grid_, d, i))];
        if (d == 0) ++i;
    }
}

template <class Real>
void ReferenceKernel<Real>::read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const {
    const Real* from = static_cast<const ReferenceState&>(state).now[at(array)].row(row % grid_.size[1], row / grid_.size[1]);
    const auto round = [&]<class Out>(std::span<Out> out) {
        std::transform(from, from + out.size(), out.begin(), [](Real x) { return ir::round_to<Out>(x); });
    };
    std::visit(round, cells);
}

template <class Real>
void ReferenceKernel<Real>::write_row(State& state, ir::Array array, Index row, std::span<const double> cells) {
    Real* to = static_cast<ReferenceState&>(state).now[at(array)].row(row % grid_.size[1], row / grid_.size[1]);
    for (std::size_t i = 0; i < cells.size(); ++i) to[i] = ir::round_to<Real>(cells[i]);
}

template class ReferenceKernel<float>;
template class ReferenceKernel<double>;

}  // namespace mottle::backend::reference
