// mottle/stepper/spectral/spectral_steps.h: steps of ETDRK4: rates of the kernel, transforms, the fields of the next stage, rates, ...
#pragma once
#include "mottle/stepper/spectral/spectral_field.h"
#include "mottle/stepper/uniform_rows.h"

#include <vector>

namespace mottle::stepper {

/// A step begins with the fields alone, and leaves nothing but the fields.
class SpectralSteps {
   public:
    /// `team` transforms. The domain is a grid, and the Program has linear parts.
    SpectralSteps(const backend::Kernel& kernel, core::ThreadTeam& team);

    /// What Kernel::advance is for other Programs. Throws: InputError (a linear part that is no number).
    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n);

   private:
    struct Part {
        ir::LinearPart what;
        SpectralField field;
        std::vector<double> powers;
    };

    void set_linear_parts(const backend::Kernel& kernel, std::span<const double> uniforms, double dt);
    void read_state(const backend::Kernel& kernel, const backend::State& state, Index part, Index parts);
    void run_stage(backend::Kernel& kernel, backend::State& state, int stage, Index part, Index parts);
    void on_team(const std::function<void(Index part, Index parts)>& work);

    core::ThreadTeam& team_;
    std::vector<Part> parts_;
};

}  // namespace mottle::stepper
