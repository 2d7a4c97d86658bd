// mottle/stepper/phases.h: steps of a Program that needs sums over all cells: sum, form the uniforms, run a phase
#pragma once
#include "mottle/stepper/uniform_rows.h"

namespace mottle::stepper {

/// What Kernel::advance is for other Programs. `uniforms` are those of this state.
void advance_phases(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n);

}  // namespace mottle::stepper
