// mottle/ir/stability/longest_steps.h: the longest time step that lets no wave grow, from its rates of decay
#pragma once
#include "mottle/ir/method.h"

#include <complex>
#include <vector>

namespace mottle::ir {

/// A step of the method lets every wave grow that turns and does not decay.
bool grows_turning(const StabilityPolynomial& method);

/// The longest dt for what decays by `matrix`, per unit of time; infinity where nothing does.
double limit_of(const StabilityPolynomial& method, const std::vector<std::vector<double>>& matrix);

/// As limit_of, and for waves that only turn: 0, where every step lets them grow.
double limit_with_turning(const StabilityPolynomial& method, const std::vector<std::vector<double>>& matrix);

/// The longest dt up to which no step of `imex`, or of the two stages of `imex2` (stepper/split_steps.h), lets a wave grow that decays at `solved` by the
/// diffusion that the method solves for, and at `rate` by what it steps explicitly; 0 where all do.
double longest_split_step(bool two_stages, double solved, const std::complex<double>& rate);

}  // namespace mottle::ir
