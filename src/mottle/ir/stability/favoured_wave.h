// mottle/ir/stability/favoured_wave.h: the wave that grows fastest about a uniform state
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/model/model.h"

#include <optional>
#include <vector>

namespace mottle::ir {

/// The greatest rate, growing or not and real or not, of a uniform change of the state `fields` at t = 0, per unit of time.
double fastest_reaction(const model::Model& model, const domain::Domain& domain, const std::vector<double>& fields);

/// The length of the wave that grows fastest about the uniform state `fields` at t = 0, in lengths of the equations, where one grows faster than both
/// longer and shorter ones that the domain holds (Turing, Phil. Trans. R. Soc. B 237 (1952) 37); else nothing.
std::optional<double> favoured_wavelength(const model::Model& model, const domain::Domain& domain, const std::vector<double>& fields);

/// The equations linearised about the uniform state `fields` at t = 0, for a wave of `wave_number`: row i, column j is the derivative of the rate of field i by
/// field j, on which lap() acts as -wave_number^2. Units: wave_number in radians per length, entries 1 over time. Drifts (dx, dy, dz) are left out.
/// What depends on a map is NaN. Throws: InputError (another number of fields than the model has; not finite).
std::vector<std::vector<double>> jacobian(const model::Model& model, const std::vector<double>& fields, double wave_number);

}  // namespace mottle::ir
