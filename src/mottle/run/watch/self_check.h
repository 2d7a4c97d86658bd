// mottle/run/watch/self_check.h: compiled kernels against the reference interpreter, on this machine and right now
#pragma once
#include "mottle/run/simulation.h"

#include <string>
#include <vector>

namespace mottle::run {

/// Runs small cases (Gray-Scott on 64x48 cells in f32 and f64, chemotaxis on a sphere of 642 vertices) on `device` and on "reference" and compares
/// every bit of every field. The cases, for a reader. Throws: InternalError with field, cell and both values; DeviceError.
std::vector<std::string> self_check(const std::string& device, core::Context& context);

/// Compares two runs of the same model on the same domain. Throws: InternalError as self_check; `name` is what it calls the case.
void require_same_bits(const std::string& name, const Simulation& compiled, const Simulation& reference);

}  // namespace mottle::run
