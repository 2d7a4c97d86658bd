// mottle/domain/mesh/piece.h: some vertices of a mesh as a mesh of their own, whose numbers, places and weights are those of the whole
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <span>

namespace mottle::domain {

/// Weights that a piece is to have: they are most of what a surface takes in memory.
struct PieceWeights {
    bool laplacian = true;
    std::array<bool, 3> gradient{true, true, true};
};

/// The vertices `vertices` of `whole`, ascending, with the rows of their operators. Neighbours that are not among them are left out of the rows: a kernel leaves
/// vertices wrong as many edges from there as its stages take, and whoever asked for the piece makes it as much larger and writes these vertices anew.
/// A piece has no faces, and no numbers of the file that have no vertex in it. Of the weights it has those of `wanted` and of the tensors; the others, cotangents among them, are empty.
Mesh piece_of(const Mesh& whole, std::span<const Vertex> vertices, const PieceWeights& wanted = {});

}  // namespace mottle::domain
