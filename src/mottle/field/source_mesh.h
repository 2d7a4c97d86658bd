// mottle/field/source_mesh.h: noise, spots, images and attributes on the vertices of a mesh
#pragma once
#include "mottle/field/source.h"

namespace mottle::field {

/// noise: drawn by the number that a vertex has in its file. spots: each centre is drawn in the bounding box and snapped to the nearest vertex; distances
/// are in space. attr: the file's numbers. See create_source for the rest. Throws: InputError with the place of the call.
RowSource create_mesh_noise(double lo, double width, std::uint64_t seed, std::uint32_t draw, const domain::Mesh& mesh);
RowSource create_mesh_spots(const ir::SourceCall& call, const domain::Mesh& mesh, const InitialSpec& initial);
/// The centres of spots(), from all vertices of a surface: a piece of it does not have the nearest ones. `call` has passed require_spots.
std::vector<domain::Point> spot_centres(const ir::SourceCall& call, const domain::Mesh& mesh, std::uint64_t seed);
RowSource create_attribute(const ir::SourceCall& call, const domain::Mesh& mesh);

}  // namespace mottle::field
