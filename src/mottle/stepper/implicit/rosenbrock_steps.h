// mottle/stepper/implicit/rosenbrock_steps.h: steps of second order with diffusion solved for in both stages: rates of the kernel, solver, rates, solver
#pragma once
#include "mottle/stepper/implicit/diffusion_solver.h"
#include "mottle/stepper/uniform_rows.h"

#include <functional>
#include <memory>
#include <vector>

namespace mottle::stepper {

/// A step of the Rosenbrock method ROS2 with any approximation of the Jacobian, here that of diffusion (axis by axis on grids):
///     (1 - g h D lap) k = F(u, t),  (1 - g h D lap) l = F(u + h k, t + h) - 2 k,  u' = u + h (3/2 k + 1/2 l),  g = 1 - 1/sqrt 2,
/// F all rates, those of diffusion too. It is of order 2 whatever stands in place of D lap, so what solving line by line leaves out costs no order, and where F is 0
/// nothing moves. Source: Verwer, Spee, Blom & Hundsdorfer 1999, SIAM J. Sci. Comput. 20, 1456.
class RosenbrockSteps {
   public:
    /// `team` solves.
    RosenbrockSteps(const backend::Kernel& kernel, core::ThreadTeam& team);

    /// What Kernel::advance is for other Programs. Throws: InputError (a coefficient that is below 0 or no number, a matrix that cannot be factored).
    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n);

   private:
    struct Part {
        ir::ImplicitDiffusion what;
        std::unique_ptr<DiffusionSolver> solver;   ///< null: the field does not diffuse
        bool due = false;                          ///< in this step
        std::vector<double> begin, first, second;  ///< u, k and l
    };
    using RowWork = std::function<void(Part& own, Index row, std::size_t begin, std::size_t length)>;

    void prepare(const backend::Kernel& kernel, std::span<const double> uniforms);
    void each_row(Index part, Index parts, const RowWork& work);
    void solve(std::vector<double> Part::*rates, Index part, Index parts);
    void on_team(const std::function<void(Index part, Index parts)>& work);

    core::ThreadTeam& team_;
    Index rows_, length_;
    std::vector<Part> parts_;
};

}  // namespace mottle::stepper
