// mottle/ir/stability.h: the explicit limit of dt from diffusion and declared ranges
#pragma once
#include "mottle/ir/system.h"

#include <string>

namespace mottle::ir {

struct StableStep {
    double diffusion_limit = 0;  ///< largest dt for diffusion alone; infinity without diffusion
    double limit = 0;            ///< with the reaction rate
    std::string reason;          ///< which field, how fast it decays by diffusion and reaction, and where that came from; then `unknown`
    std::string unknown;         ///< what the limits leave out because nothing bounds it; "" if that is nothing
};

/// dt (D lambda_max + |df/df|) < 2 (what the method bears: longest_step of 1) for every field, the model linearised about the uniform states within the declared ranges. D lambda_max comes from
/// lap, div(D*grad()), bilap and nested operators; fields that diffuse into each other take the eigenvalues of their coupling.
/// Where one of two fields spreads by the waves of the other and that one reacts to it, the pair is taken together, at states throughout the ranges.
/// |df/df| is [method] reaction_rate, else interval arithmetic over declared ranges, else 0 (the reason says so).
StableStep stable_step(const System& system, const Method& method, const domain::Domain& domain);

}  // namespace mottle::ir
