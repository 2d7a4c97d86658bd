// mottle/stepper/implicit/implicit_steps.h: steps of a Program behind which diffusion is solved for: kernel, solver, kernel, ...
#pragma once
#include "mottle/stepper/implicit/diffusion_solver.h"
#include "mottle/stepper/uniform_rows.h"

#include <memory>
#include <vector>

namespace mottle::stepper {

class ImplicitSteps {
   public:
    /// `team` solves.
    ImplicitSteps(const backend::Kernel& kernel, core::ThreadTeam& team);

    /// What Kernel::advance is for other Programs. Borders that change with t are those at the end of each step.
    /// Throws: InputError (a coefficient that is below 0 or no number, a matrix that cannot be factored).
    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n);

   private:
    struct Solved {
        ir::ImplicitDiffusion what;
        std::unique_ptr<DiffusionSolver> solver;
        std::vector<double> cells;
    };

    /// False: there is nothing to solve, as the coefficient is 0.
    bool prepare(const backend::Kernel& kernel, Solved& solved, std::span<const double> uniforms);
    void solve(backend::Kernel& kernel, backend::State& state, core::Index part, core::Index parts);

    core::ThreadTeam& team_;
    std::vector<Solved> solved_;
    std::vector<Solved*> due_;  ///< in this step
};

}  // namespace mottle::stepper
