// mottle/run/settings/length_notice.h: what a run costs and shows on a mesh whose lengths nobody has fitted to the equations
#pragma once
#include "mottle/field/field.h"
#include "mottle/run/settings/clock.h"

#include <string>

namespace mottle::run {

/// For a run with Spec::lengths_of_file: its steps and minutes, the wavelength that the equations favour about the uniform state to which the means of the `start`
/// come, where there is one, and the --scale that shows some 12 of them, with its cost. "" for other runs. Throws: InputError with the same words for runs of more than kMostMeshSteps.
std::string notice_of_lengths(const Spec& spec, const Clock& clock, const field::Field& start);

}  // namespace mottle::run
