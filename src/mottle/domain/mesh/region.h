// mottle/domain/mesh/region.h: a part of a surface
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// The faces of `surface` whose three vertices are `inside` (one entry per vertex). Vertices without a face are no unknowns any more; the cut is a border.
/// Throws: InputError if no face is left.
Surface part_of(const Surface& surface, const std::vector<bool>& inside, core::ThreadTeam& team);

}  // namespace mottle::domain
