// mottle/run/settings/preparation.h: the checks and decisions of a run before it compiles anything: all that `mottle check` can refuse
#pragma once
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/spec.h"

#include <string>
#include <vector>

namespace mottle::run {

/// What a run needs of its equations.
struct Preparation {
    Clock clock;
    ir::Program program;
    std::vector<std::string> notices;  ///< of the borders; the clock has its own
};

/// Builds and lowers the equations of `spec`, decides dt and the steps, and checks when its outputs draw, its memory and its borders. `spec` adopts the
/// method and the spectrum that its limits of dt are of (see limits_of_step).
/// Throws: ModelError, InputError.
Preparation prepare(Spec& spec, core::ThreadTeam& team);

/// The clock of a run whose Program is that of another one with other numbers, and the checks that its numbers ask for; `spec` as prepare. Throws: as prepare.
Clock clock_of(Spec& spec, const ir::Program& program, core::ThreadTeam& team);

/// Throws: InputError where the rule of a side comes to a number that is not finite, with the parameters of `spec`.
void require_borders(const Spec& spec, const ir::Program& program);

/// When each output of `spec` draws.
std::vector<FrameTimes> frame_times(const Spec& spec);

/// Values for Program::inputs; "dt" and "t", which are the stepper's to know, are 0.
std::vector<double> input_values(const ir::Program& program, const model::Model& model, std::uint64_t seed);

}  // namespace mottle::run
