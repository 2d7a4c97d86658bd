// mottle/run/settings/tolerance.h: a run whose steps are as long as a tolerance allows: its method, its moments and its bounds
#pragma once
#include "mottle/ir/lower/system.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/spec.h"
#include "mottle/stepper/adaptive.h"

namespace mottle::run {

/// The limits of a step for --tolerance: of the method that is given, else of rkl2, or of rk4 where waves are damped weakly or not at all; and the stages of a step that
/// follows the reaction. Throws: InputError (no step of the method is stable).
StepLimits limits_for_tolerance(const Spec& spec, const ir::System& system, core::ThreadTeam& team);

/// Its moments, which frames, tests and checkpoints count: steps of the dt of `spec`, if there is one, else some thousands in the time of the run. Clock::dt is the time
/// between two of them, and no step has to be as long. Throws: InputError (the length of the run is no time; a tolerance that rounding cannot reach).
Clock clock_for_tolerance(const Spec& spec, const ir::StableStep& stable);

/// What bounds the steps of a run of `spec`, whose clock is that of clock_for_tolerance. Keeps what it needs of `spec`.
stepper::Tolerance tolerance_of(const Spec& spec, const Clock& clock);

/// What advances the fields of a run: steps that its tolerance allows, if there is one, else those of the dt of `clock`. A run without steps needs no tolerance.
std::unique_ptr<stepper::Integrator> integrator_of(field::Field& field, const Spec& spec, const Clock& clock, core::Context& context);

/// What the steps came to: "1,240 steps of 0.05 to 0.4, 3 of 80 stretches rejected, ...".
std::string accuracy_text(const stepper::AccuracyRecord& record);
/// A word about an error that the equations themselves have made grow beyond the tolerance, or about rounding that is larger; else "".
std::string notice_of_accuracy(const Spec& spec, const stepper::AccuracyRecord& record);

}  // namespace mottle::run
