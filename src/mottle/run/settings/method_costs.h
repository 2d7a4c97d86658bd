// mottle/run/settings/method_costs.h: what a step of each method costs beside one of Euler's, as measured once
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/method.h"

namespace mottle::run {

/// Of a step of `method`, whose stages are known, by the cost of a step of Euler's method for the same equations on a domain of that kind and size. It is a table: the
/// same for every device and number of threads, so that what follows from it is the same everywhere. Throws: InternalError (`method` solves for diffusion: what that costs
/// depends on the mesh).
double cost_of_step(const ir::Method& method, const domain::Domain& domain);

}  // namespace mottle::run
