// mottle/stepper/together.h: several fields of one kernel, advanced in the same launches
#pragma once
#include "mottle/stepper/stepper.h"

namespace mottle::stepper {

/// Advances the fields of several steppers, all of one kernel and at one step, launch by launch: how each of them ended. A field that diverges is left where
/// that was found, and the others go on; a stop is one of all. `most` as Stepper::advance_to.
std::vector<Outcome> advance_together(std::span<Stepper* const> steppers, Index step, Index most = kAnyNumber);

}  // namespace mottle::stepper
