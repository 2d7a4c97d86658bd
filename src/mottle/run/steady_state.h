// mottle/run/steady_state.h: the steady state near the fields of a run (--until steady=newton)
#pragma once
#include "mottle/run/settings/spec.h"
#include "mottle/steady/newton.h"

#include <string>

namespace mottle::run {

/// What came of a search, and the wall seconds that it took.
struct SteadySearch {
    steady::Search result;
    double seconds = 0;
    bool uniform = false;  ///< the state that was found
};

/// Throws: InputError (equations that have no steady state or whose Jacobian is not sparse, more unknowns than a direct solver takes without --force),
/// DeviceError (no Eigen).
void require_newton(const Spec& spec);

/// Looks for a steady state of the equations of `spec` near `field`, in f64 and without clamps, and writes it into `field`, rounded
/// to its precision. Where the cells are spread over several processes, this one gathers and searches alone. Where none is found, or one beyond a clamp, the field is what it was. Throws: Interrupted, as require_newton.
SteadySearch find_steady_state(const Spec& spec, field::Field& field, core::Context& context);

/// "residual 2e-13 per unit of time, 5 iterations, no growing direction".
std::string search_text(const SteadySearch& search);

}  // namespace mottle::run
