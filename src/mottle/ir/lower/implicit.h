// mottle/ir/lower/implicit.h: an equation as diffusion, which a method solves for, and the rest, whose rates it takes
#pragma once
#include "mottle/ir/lower/system.h"

#include <vector>

namespace mottle::ir {

/// What a method that solves for diffusion makes of a system.
struct SplitSystem {
    System rest;  ///< without the terms that are solved for
    std::vector<model::ExprPtr>
        constant;  ///< by field: the sum of the coefficients of lap(f) in the equation of f itself; null: there is none
};

/// Takes the terms c*lap(f) out of the equation of f, c a number, a parameter, or made of them.
/// Throws: ModelError (no field has such a term; c changes with t; the equations contain sums over all cells).
SplitSystem split_diffusion(const System& system, const Method& method);

/// Throws: InputError, ModelError: what the solver of a method that solves for diffusion cannot do on this domain, and what can.
void require_solvable(const domain::Domain& domain, const model::Model& model, const Method& method);

}  // namespace mottle::ir
