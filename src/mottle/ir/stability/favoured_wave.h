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

}  // namespace mottle::ir
