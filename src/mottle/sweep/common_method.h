// mottle/sweep/common_method.h: one method and one longest step for all runs of a sweep, which would choose different ones alone
#pragma once
#include "mottle/run/settings/clock.h"

#include <vector>

namespace mottle::sweep {

/// The run whose method all take, of `limits`, which each run has alone: an explicit method of high order where a run has it for its waves, which that follows in every run;
/// else the stages or the factor that a stiff run has; else Euler's method. Of several runs with that method, the one with the shortest step.
std::size_t leading_run(const std::vector<run::StepLimits>& limits);

/// The longest dt of a run by the method of another one: `alone` is what it would choose, `leading` what it takes. Infinity where stability alone limits it. Units: those of dt.
double longest_step(const run::Spec& run, const run::StepLimits& alone, const run::StepLimits& leading);

}  // namespace mottle::sweep
