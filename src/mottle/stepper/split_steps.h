// mottle/stepper/split_steps.h: steps of methods that do more than a kernel between two of its steps
#pragma once
#include "mottle/stepper/uniform_rows.h"

#include <memory>

namespace mottle::stepper {

/// The steps of a run whose Program has a solver (Program::solver).
class SplitSteps {
   public:
    virtual ~SplitSteps() = default;
    /// What Kernel::advance is for other Programs; the team of the kernel solves or transforms. Throws: InputError (a coefficient that the method cannot use, a matrix that cannot be factored).
    virtual void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) = 0;
};

/// Of the method of the kernel's Program. Null: the steps of the kernel are those of the run.
std::unique_ptr<SplitSteps> create_split_steps(const backend::Kernel& kernel);

/// `imex`: a step of the kernel, then solutions for diffusion. Borders that change with t are those at the end of each step.
std::unique_ptr<SplitSteps> create_implicit_steps(const backend::Kernel& kernel);

/// `imex2`: a step of the Rosenbrock method ROS2 with any approximation of the Jacobian, here that of diffusion (axis by axis on grids):
///     (1 - g h D lap) k = F(u, t),  (1 - g h D lap) l = F(u + h k, t + h) - 2 k,  u' = u + h (3/2 k + 1/2 l),  g = 1 - 1/sqrt 2,
/// F all rates, those of diffusion too. It is of order 2 whatever stands in place of D lap, so what solving line by line leaves out costs no order, and where F is 0
/// nothing moves. Source: Verwer, Spee, Blom & Hundsdorfer 1999, SIAM J. Sci. Comput. 20, 1456.
std::unique_ptr<SplitSteps> create_rosenbrock_steps(const backend::Kernel& kernel);

/// `etdrk4`: rates of the kernel, transforms, the fields of the next stage, rates, ... The domain is a grid. A step begins with the fields alone, and leaves
/// nothing but the fields.
std::unique_ptr<SplitSteps> create_spectral_steps(const backend::Kernel& kernel);

}  // namespace mottle::stepper
