// mottle/run/boundary_rules.h: [boundary] tables and --boundary texts -> the sides of a grid or the loops of a mesh
#pragma once
#include "mottle/ir/program.h"
#include "mottle/run/spec.h"

#include <span>

namespace mottle::run {

/// `layers`: the `boundary` nodes of all sources, the winning one last. A table [boundary] with sides and fields, or text: "RULE" for all sides and
/// fields, "SIDE=RULE", "FIELD=RULE", "FIELD.SIDE=RULE", several with commas. What stays unsaid keeps the grid's rule, in a field that of all fields.
/// Throws: InputError with place (unknown side, field or rule).
void apply_boundary(domain::Grid& grid, const model::Model& model, std::span<const core::Node* const> layers);

/// The same for the boundary loops of a mesh, "loop0", "loop1", ...: no-flux or value(c). What only a grid has (its sides, periodic, outside, still) is an
/// error in a layer of `own`, which are those that the user typed, and passed over in the others, which models carry for grids.
void apply_boundary(domain::Mesh& mesh, const model::Model& model, std::span<const core::Node* const> layers,
                    std::span<const core::Node* const> own);

/// `uniforms`: those of the first step. Throws: InputError with the rule's place where a ghost cell would not be finite.
void require_finite_borders(const domain::Grid& grid, const ir::Program& program, std::span<const double> uniforms);

/// For what is held at each cell for an operator, as 2*u in lap(2*u), while a border has a rule that is not homogeneous.
std::vector<std::string> notices_of_held_borders(const ir::Program& program);

/// Throws: InputError unless all fields of a grid with depth wrap from top to bottom, or none, and so from front to back.
void require_one_wrapping_of_a_volume(const domain::Grid& grid, const model::Model& model);

}  // namespace mottle::run
