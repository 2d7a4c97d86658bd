// mottle/stepper/implicit_steps.cpp: the steps of a kernel, and the solutions for diffusion between them
#include "mottle/stepper/implicit_steps.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::stepper {
namespace {

std::unique_ptr<DiffusionSolver> create_solver(const domain::Domain& domain, const std::string& field) {
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_mesh_solver(*mesh, field);
    return create_line_solver(std::get<domain::Grid>(domain));
}

std::array<AxisEnds, 3> ends_of(const ir::GhostRule& rule, std::span<const double> uniforms) {
    std::array<AxisEnds, 3> ends;
    for (std::size_t side = 0; side < rule.size(); ++side) {
        const ir::Ghost& ghost = rule[side];
        AxisEnds& axis = ends[side / 2];
        axis.wraps = ghost.rule == domain::Rule::periodic;
        if (ghost.alpha < 0) continue;
        axis.alpha[side % 2] = uniforms[core::at(ghost.alpha)];
        axis.beta[side % 2] = uniforms[core::at(ghost.beta)];
    }
    return ends;
}

/// Calls work(row) for all rows on all threads.
template <class Work>
void for_rows(const domain::Domain& domain, core::ThreadTeam& team, const Work& work) {
    const Index rows = domain::row_count(domain), workers = team.size();
    if (workers == 1 || rows == 1) {
        for (Index row = 0; row < rows; ++row) work(row);
        return;
    }
    team.run([&](int worker) {
        for (Index row = rows * worker / workers; row < rows * (worker + 1) / workers; ++row) work(row);
    });
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
        for (Solved& solved : solved_) solve(kernel, state, solved, behind.row(0));
    }
}

void ImplicitSteps::solve(backend::Kernel& kernel, backend::State& state, Solved& solved, std::span<const double> uniforms) {
    const ir::Program& program = kernel.program();
    const domain::Domain& domain = kernel.domain();
    const double k = uniforms[core::at(solved.what.coefficient)];
    const std::string& name = program.arrays[core::at(solved.what.field)].name;
    if (!(k >= 0) || !std::isfinite(k)) {
        throw core::InputError("the diffusion of " + name + " times dt is " + core::number_text(k) +
                               "; --method imex solves for diffusion from 0 on");
    }
    if (k == 0) return;
    const bool grid = std::holds_alternative<domain::Grid>(domain);
    solved.solver->factor(k, grid ? ends_of(program.ghosts_of(solved.what.field), uniforms) : std::array<AxisEnds, 3>());
    const auto length = core::at(domain::row_length(domain));
    const auto row_of = [&](Index row) { return std::span(solved.cells).subspan(core::at(row) * length, length); };
    for_rows(domain, team_, [&](Index row) { kernel.read_row(state, solved.what.field, row, row_of(row)); });
    solved.solver->solve(solved.cells, team_);
    for_rows(domain, team_, [&](Index row) {
        const std::span<double> cells = row_of(row);
        if (const auto& range = solved.what.clamp) {
            for (double& cell : cells) cell = cell < (*range)[0] ? (*range)[0] : cell > (*range)[1] ? (*range)[1] : cell;
        }
        kernel.write_row(state, solved.what.field, row, cells);
    });
}

}  // namespace mottle::stepper
