// mottle/run/boundary_rules.h: [boundary] tables and --boundary texts -> the sides of a grid
#pragma once
#include "mottle/run/spec.h"

#include <span>

namespace mottle::run {

/// `layers`: the `boundary` nodes of all sources, the winning one last. A table [boundary] with sides and fields, or text: "RULE" for all sides and
/// fields, "SIDE=RULE", "FIELD=RULE", "FIELD.SIDE=RULE", several with commas. What stays unsaid keeps the grid's rule, in a field that of all fields.
/// Throws: InputError with place (unknown side, field or rule).
void apply_boundary(domain::Grid& grid, const model::Model& model, std::span<const core::Node* const> layers);

}  // namespace mottle::run
