// mottle/domain/operators/delaunay.h: a Laplacian of a surface whose weights are never negative
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// Replaces cotangent and laplacian of `rows`, which are those of `surface`, by the weights of its intrinsic Delaunay triangulation: the geometry and the
/// vertices stay, edges are flipped along the surface until no weight is below 0. Masses and gradients stay; an entry may have the weight 0 in one of them,
/// for the one-rings of both triangulations are united. Where the surface has a border, edges of more than two faces or changing orientation, the
/// triangulation is that of its tufted cover, two sheets glued along every edge, each with half the weight.
/// The same bits on every machine and for any number of threads. Sets rows.flips.
/// Throws: InputError if there are more edges of faces than 32 bits count.
/// Source: Bobenko & Springborn 2007; Sharp & Crane 2020 (tufted cover).
void make_delaunay(MeshOperators& rows, const Surface& surface, core::ThreadTeam& team);

}  // namespace mottle::domain
