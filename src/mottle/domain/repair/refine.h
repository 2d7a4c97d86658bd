// mottle/domain/repair/refine.h: every triangle cut into four, again and again
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/repair/triangle_soup.h"

namespace mottle::domain {

/// A mesh of 4^times as many triangles. Its first vertices are those of `soup`, in their order (Loop's subdivision moves them); those on edges follow, level by level. Attributes and texture
/// coordinates of new vertices are the means of the two ends of their edge, so that seams of a texture stay. Copies of one vertex stay copies.
/// Throws: InputError if that has more than `most` vertices, or if no usable face is there.
TriangleSoup refined(TriangleSoup soup, int times, Subdivision subdivision, core::ThreadTeam& team, Index most);

}  // namespace mottle::domain
