// mottle/run/settings/boundary_rules.h: [boundary] tables and --boundary texts -> the sides of a grid or the loops of a mesh
#pragma once
#include "mottle/ir/program/program.h"
#include "mottle/run/settings/spec.h"

#include <optional>
#include <span>

namespace mottle::run {

/// The `boundary` node of one source: a table [boundary] with sides and fields, or text: "RULE" for all sides and fields, "SIDE=RULE", "FIELD=RULE",
/// "FIELD.SIDE=RULE", several with commas.
struct BoundaryLayer {
    const core::Node* rules;
    /// What happens to a rule that a mesh cannot have; models and files made for grids contain such rules.
    enum class OnMeshes { refused, told, passed_over } on_meshes = OnMeshes::refused;
    /// The size of the grid at the time of this source: a rule for a side that this grid lacks is an error. Nothing if no source gives a size.
    std::optional<domain::Triple> size{};
};

/// `layers`: a later one overrides an earlier one. Sides without a rule keep the grid's rule; fields without one, the rule of all fields. Returns notices: rules left out
/// because a later size, or the default size, has a single cell there.
/// Throws: InputError with place (unknown or missing side, unknown field or rule, two rules for one side).
std::vector<std::string> apply_boundary(domain::Grid& grid, const model::Model& model, std::span<const BoundaryLayer> layers);

/// The same for the boundary loops of a mesh, "loop0", "loop1", ...: no-flux or value(c). What only a grid has (its sides, periodic, outside,
/// still ...) becomes what each layer says. Returns what is worth a note: rules of told layers that are left out.
std::vector<std::string> apply_boundary(domain::Mesh& mesh, const model::Model& model, std::span<const BoundaryLayer> layers);

/// `uniforms`: those of the first step. Throws: InputError with the rule's place where a ghost cell would not be finite.
void require_finite_borders(const domain::Grid& grid, const ir::Program& program, std::span<const double> uniforms);

/// Notices for expressions that are stored for an operator, as 2*u in lap(2*u), if a boundary rule is not homogeneous.
std::vector<std::string> notices_of_held_borders(const ir::Program& program);

/// Notices for div(D*grad(f)) where f is periodic and D is not: the flux out of one side then differs from the flux into the other.
std::vector<std::string> notices_of_broken_wrapping(const domain::Grid& grid, const model::Model& model);

/// Throws: InputError unless all fields of a grid with depth wrap from top to bottom, or none, and so from front to back.
void require_one_wrapping_of_a_volume(const domain::Grid& grid, const model::Model& model);

}  // namespace mottle::run
