// mottle/domain/mesh/piece.h: some vertices of a mesh as a mesh of their own, whose numbers, places and weights are those of the whole
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <span>

namespace mottle::domain {

/// The vertices `vertices` of `whole`, ascending, with the rows of their operators. Neighbours that are not among them are left out of the rows: a kernel leaves
/// vertices wrong as many edges from there as its stages take, and whoever asked for the piece makes it as much larger and writes these vertices anew.
/// A piece has no faces, and no numbers of the file that have no vertex in it.
Mesh piece_of(const Mesh& whole, std::span<const Vertex> vertices);

}  // namespace mottle::domain
