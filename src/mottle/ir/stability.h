// mottle/ir/stability.h: the explicit limit of dt from diffusion and declared ranges
#pragma once
#include "mottle/ir/system.h"

#include <string>

namespace mottle::ir {

struct StableStep {
    double diffusion_limit = 0;  ///< largest dt for diffusion alone; infinity without diffusion
    double limit = 0;            ///< with the reaction rate
    std::string reason;          ///< which field, which D, which reaction rate and where it came from
};

/// dt (D lambda_max + |df/df|) < 2. D per field from the terms D*lap(f), div(D*grad(f)); |df/df| declared, else interval arithmetic over declared ranges, else 0.
StableStep stable_step(const System& system, const domain::Domain& domain);

}  // namespace mottle::ir
