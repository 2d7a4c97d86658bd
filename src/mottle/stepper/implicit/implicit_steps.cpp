// mottle/stepper/implicit/implicit_steps.cpp: the steps of a kernel, and the solutions for diffusion between them
#include "mottle/stepper/implicit/implicit_steps.h"

#include <algorithm>

namespace mottle::stepper {
namespace {

void clamp(std::span<double> cells, const std::array<double, 2>& range) {
    for (double& cell : cells) cell = cell < range[0] ? range[0] : cell > range[1] ? range[1] : cell;
}

}  // namespace

ImplicitSteps::ImplicitSteps(const backend::Kernel& kernel, core::ThreadTeam& team) : team_(team) {
    const ir::Program& program = kernel.program();
    for (const ir::ImplicitDiffusion& what : program.implicit) {
        solved_.push_back({what, create_solver(kernel.domain(), program.arrays[core::at(what.field)].name),
                           std::vector<double>(core::at(domain::cell_count(kernel.domain())))});
    }
}

void ImplicitSteps::advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) {
    for (Index step = first_step; step < first_step + n; ++step) {
        kernel.advance(state, step, 1, uniforms.rows(step, 1));
        const backend::UniformTable behind = uniforms.rows(step + 1, 1);
        due_.clear();
        for (Solved& solved : solved_) {
            if (prepare(kernel, solved, behind.row(0))) due_.push_back(&solved);
        }
        if (due_.empty()) continue;
        if (team_.size() == 1) {
            solve(kernel, state, 0, 1);
        } else {
            team_.run([&](int worker) { solve(kernel, state, worker, team_.size()); });
        }
    }
}

bool ImplicitSteps::prepare(const backend::Kernel& kernel, Solved& solved, std::span<const double> uniforms) {
    const ir::Program& program = kernel.program();
    const double k = diffusion_of(program, solved.what, uniforms);
    if (k == 0) return false;
    const bool grid = std::holds_alternative<domain::Grid>(kernel.domain());
    solved.solver->factor(k, grid ? ends_of(program.ghosts_of(solved.what.field), uniforms) : std::array<AxisEnds, 3>());
    return true;
}

// A surface is one row, and each of its fields a worker's own; rows of a grid are shared.
void ImplicitSteps::solve(backend::Kernel& kernel, backend::State& state, Index part, Index parts) {
    const domain::Domain& domain = kernel.domain();
    const Index rows = domain::row_count(domain);
    const auto length = core::at(domain::row_length(domain));
    const auto each_row = [&](const auto& work) {
        for (std::size_t i = 0; i < due_.size(); ++i) {
            const Index own = rows == 1 ? (static_cast<Index>(i) + part) % parts : part;
            const auto [first, end] = core::share_of(rows, own, parts);
            for (Index row = first; row < end; ++row)
                work(*due_[i], row, std::span(due_[i]->cells).subspan(core::at(row) * length, length));
        }
    };
    each_row([&](Solved& solved, Index row, std::span<double> cells) { kernel.read_row(state, solved.what.field, row, cells); });
    int passes = 0;
    for (const Solved* solved : due_) passes = std::max(passes, solved->solver->passes());
    for (int pass = 0; pass < passes; ++pass) {
        if (parts > 1 && pass > 0) team_.barrier();
        for (std::size_t i = 0; i < due_.size(); ++i) {
            const Index own = rows == 1 ? (static_cast<Index>(i) + part) % parts : part;
            if (pass < due_[i]->solver->passes()) due_[i]->solver->run(pass, due_[i]->cells, own, parts);
        }
    }
    if (parts > 1) team_.barrier();
    each_row([&](Solved& solved, Index row, std::span<double> cells) {
        if (solved.what.clamp) clamp(cells, *solved.what.clamp);
        kernel.write_row(state, solved.what.field, row, cells);
    });
}

}  // namespace mottle::stepper
