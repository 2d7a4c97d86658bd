// mottle/run/settings/bearing.h: which steps a state bears, for runs whose steps follow a tolerance
#pragma once
#include "mottle/field/field.h"
#include "mottle/run/settings/spec.h"

#include <functional>

namespace mottle::run {

/// Whether steps of dt by the method of `spec`, with `stages(dt)` stages, let no wave grow that decays about the states of some cells, those in which fields are extreme among them. Of
/// many fields, which would take long, nothing is asked: an empty function.
std::function<bool(const field::Field& field, double time, double dt)> bearing_of(const Spec& spec, std::function<int(double)> stages);

}  // namespace mottle::run
