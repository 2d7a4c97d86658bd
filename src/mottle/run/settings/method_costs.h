// mottle/run/settings/method_costs.h: what a step of each method costs beside one of Euler's, as measured once
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/method.h"

namespace mottle::run {

/// Of a step of `method`, whose stages are known, by the cost of a step of Euler's method for the same equations on a domain of that kind and size. It is a table: the
/// same for every device and number of threads, so that what follows from it is the same everywhere. Throws: InternalError (`method` solves for diffusion, or takes
/// exponentials).
double cost_of_step(const ir::Method& method, const domain::Domain& domain);

/// The same of a step of imex2 on a surface, whose factor has some log2(n) entries per vertex. Infinite on grids, where nothing was measured, and beyond 2,000,000 vertices, whose factor
/// takes gigabytes.
double cost_of_factored_step(const domain::Domain& domain);

}  // namespace mottle::run
