// mottle/stepper/implicit/diffusion_solver.cpp: what solvers for diffusion need of a Program and its domain
#include "mottle/stepper/implicit/diffusion_solver.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <cmath>

namespace mottle::stepper {

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

double diffusion_of(const ir::Program& program, const ir::ImplicitDiffusion& what, std::span<const double> uniforms) {
    const double k = uniforms[core::at(what.coefficient)];
    if (!(k >= 0) || !std::isfinite(k)) {
        throw core::InputError("the diffusion of " + program.arrays[core::at(what.field)].name + " times dt is " +
                               core::rounded_text(k, 4) + "; --method " + std::string(program.solver()) +
                               " solves for diffusion from 0 on");
    }
    return k;
}

}  // namespace mottle::stepper
