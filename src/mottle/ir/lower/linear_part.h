// mottle/ir/lower/linear_part.h: an equation as its linear part with constant coefficients, which a method takes exactly, and the rest
#pragma once
#include "mottle/ir/lower/system.h"

#include <vector>

namespace mottle::ir {

/// Entry m is the coefficient of lap^m(f); null: there is none.
using PowersOfLaplacian = std::vector<model::ExprPtr>;

struct LinearSplit {
    System rest;                            ///< without the terms of the linear part
    std::vector<PowersOfLaplacian> linear;  ///< by field
};

/// Takes out of the equation of each field f the terms c*f, c*lap(f), c*bilap(f), and those inside operators: of c*lap(f^3 - f - g*lap(f)) the terms -c*lap(f) and
/// -c*g*bilap(f). c and g are numbers, parameters or made of them, without t. Throws: ModelError (the equations contain sums over all cells, or no such term).
LinearSplit split_linear(const System& system, const Method& method);

/// Whether there is a transform of lines of so many cells: 2^a 3^b 5^c.
bool is_transformable(core::Index cells);
/// Throws: InputError: what transforms of a method that takes exponentials cannot do on this domain, and what can.
void require_transformable(const domain::Domain& domain, const model::Model& model, const Method& method);

}  // namespace mottle::ir
