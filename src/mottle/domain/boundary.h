// mottle/domain/boundary.h: what stands beyond the border of a domain
#pragma once
#include "mottle/core/span.h"

namespace mottle::domain {

/// periodic: f(wrapped). no_flux: mirror. value: 2c - mirror (c on the face). outside: c. still: border cells see only themselves.
enum class Rule { periodic, no_flux, value, outside, still };

struct Boundary {
    Rule rule = Rule::periodic;
    core::Text term;  ///< the text of c for value and outside: an expression of parameters and t
    core::Span span;  ///< of the rule in its file, if it came from one
};

/// Parses "periodic", "no-flux", "value(c)", "outside(c)", "still". Throws: InputError with place and nearest rule.
Boundary parse_boundary(const core::Text& text);
const char* rule_name(Rule rule);

}  // namespace mottle::domain
