// mottle/domain/repair/repair.h: a triangle soup -> a surface on which the operators are well posed
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/repair/triangle_soup.h"

namespace mottle::domain {

/// How vertices are numbered: as in the file, along a Morton curve, or along the curve where the file scatters neighbours (the default). Changes no value.
enum class Numbering { chosen, file, curve };

/// Welds exact copies of vertices (-0 is 0), leaves out faces without area, faces that repeat an index and second copies of faces, numbers the vertices
/// that are left, and finds the boundary. Non-manifold and inconsistently oriented surfaces are kept as they are; the report counts all of it.
/// Throws: InputError if no usable face is left.
Surface repair(const TriangleSoup& soup, core::ThreadTeam& team, Numbering numbering = Numbering::chosen);

}  // namespace mottle::domain
