// mottle/stepper/implicit/rosenbrock_steps.cpp: the two stages of ROS2 between a kernel, which makes rates, and solvers for diffusion
#include "mottle/stepper/implicit/rosenbrock_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::stepper {
namespace {

constexpr double kShareSolved = 1 - 1 / std::numbers::sqrt2;  // g

}  // namespace

RosenbrockSteps::RosenbrockSteps(const backend::Kernel& kernel, core::ThreadTeam& team)
    : team_(team), rows_(domain::row_count(kernel.domain())), length_(domain::row_length(kernel.domain())) {
    const auto cells = core::at(domain::cell_count(kernel.domain()));
    for (const ir::ImplicitDiffusion& what : kernel.program().implicit) {
        Part part{what, nullptr, false, std::vector<double>(cells), std::vector<double>(cells), std::vector<double>(cells)};
        if (what.coefficient >= 0) part.solver = create_solver(kernel.domain(), kernel.program().arrays[core::at(what.field)].name);
        parts_.push_back(std::move(part));
    }
}

void RosenbrockSteps::on_team(const std::function<void(Index part, Index parts)>& work) {
    if (team_.size() == 1) return work(0, 1);
    team_.run([&](int worker) { work(worker, team_.size()); });
}

// The rates k have the borders' rules without their constants: what lies beyond is beta times the cell.
void RosenbrockSteps::prepare(const backend::Kernel& kernel, std::span<const double> uniforms) {
    const bool grid = std::holds_alternative<domain::Grid>(kernel.domain());
    for (Part& own : parts_) {
        if (!own.solver) continue;
        const double k = kShareSolved * diffusion_of(kernel.program(), own.what, uniforms);
        own.due = k > 0;
        if (!own.due) continue;
        std::array<AxisEnds, 3> ends;
        if (grid) ends = ends_of(kernel.program().ghosts_of(own.what.field), uniforms);
        for (AxisEnds& axis : ends) axis.alpha = {};
        own.solver->factor(k, ends);
    }
}

// A surface is one row, and each of its fields a worker's own; rows of a grid are shared.
void RosenbrockSteps::each_row(Index part, Index parts, const RowWork& work) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Index own = rows_ == 1 ? (static_cast<Index>(i) + part) % parts : part;
        const auto [first, end] = core::share_of(rows_, own, parts);
        for (Index row = first; row < end; ++row) work(parts_[i], row, core::at(row * length_), core::at(length_));
    }
}

void RosenbrockSteps::solve(std::vector<double> Part::*rates, Index part, Index parts) {
    int passes = 0;
    for (const Part& own : parts_) passes = std::max(passes, own.due ? own.solver->passes() : 0);
    for (int pass = 0; pass < passes; ++pass) {
        if (parts > 1 && pass > 0) team_.barrier();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Index own = rows_ == 1 ? (static_cast<Index>(i) + part) % parts : part;
            if (parts_[i].due && pass < parts_[i].solver->passes()) parts_[i].solver->run(pass, parts_[i].*rates, own, parts);
        }
    }
    if (parts > 1) team_.barrier();
}

void RosenbrockSteps::advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) {
    const double h = uniforms.dt();
    for (Index step = first_step; step < first_step + n; ++step) {
        prepare(kernel, uniforms.row_within(step, 0).row(0));
        on_team([&](Index part, Index parts) {
            each_row(part, parts, [&](Part& own, Index row, std::size_t begin, std::size_t length) {
                kernel.read_row(state, own.what.field, row, std::span(own.begin).subspan(begin, length));
            });
        });
        kernel.advance(state, step, 1, uniforms.row_within(step, 0));
        on_team([&](Index part, Index parts) {
            each_row(part, parts, [&](Part& own, Index row, std::size_t begin, std::size_t length) {
                kernel.read_row(state, own.what.field, row, std::span(own.first).subspan(begin, length));
            });
            solve(&Part::first, part, parts);
            each_row(part, parts, [&](Part& own, Index row, std::size_t begin, std::size_t length) {
                for (std::size_t i = begin; i < begin + length; ++i) own.second[i] = own.begin[i] + h * own.first[i];
                kernel.write_row(state, own.what.field, row, std::span(own.second).subspan(begin, length));
            });
        });
        kernel.advance(state, step, 1, uniforms.row_within(step, 1));
        on_team([&](Index part, Index parts) {
            each_row(part, parts, [&](Part& own, Index row, std::size_t begin, std::size_t length) {
                kernel.read_row(state, own.what.field, row, std::span(own.second).subspan(begin, length));
                for (std::size_t i = begin; i < begin + length; ++i) own.second[i] -= 2 * own.first[i];
            });
            solve(&Part::second, part, parts);
            each_row(part, parts, [&](Part& own, Index row, std::size_t begin, std::size_t length) {
                for (std::size_t i = begin; i < begin + length; ++i) {
                    const double end = own.begin[i] + h * (1.5 * own.first[i] + 0.5 * own.second[i]);
                    own.second[i] = end_of_step(end, own.what.clamp);
                }
                kernel.write_row(state, own.what.field, row, std::span(own.second).subspan(begin, length));
            });
        });
    }
}

}  // namespace mottle::stepper
