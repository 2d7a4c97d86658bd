// mottle/domain/boundary.h: boundary rules: the values beyond the border of a domain; ir/lower/ghosts.cpp and mesh.cpp turn them into numbers
#pragma once
#include "mottle/core/span.h"

#include <vector>

namespace mottle::domain {

/// periodic: f(wrapped). no_flux: mirror. value: 2c - mirror (c on the face). outside: c. still: border cells see only themselves.
/// flux: the derivative along the outward normal is g. robin: a f + b df/dn = c on the face.
enum class Rule { periodic, no_flux, value, outside, still, flux, robin };

struct Boundary {
    Rule rule = Rule::periodic;
    std::vector<core::Text> terms;  ///< c of value and outside, g of flux, a, b, c of robin: expressions of parameters and t
    core::Span span;                ///< of the rule in its file, if it came from one
};

/// Parses "periodic", "no-flux", "value(c)", "outside(c)", "still", "flux(g)", "robin(a, b, c)". Throws: InputError with place and nearest rule.
Boundary parse_boundary(const core::Text& text);
const char* rule_name(Rule rule);

}  // namespace mottle::domain
