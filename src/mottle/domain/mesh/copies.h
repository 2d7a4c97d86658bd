// mottle/domain/mesh/copies.h: copies of a surface in other places, as one surface
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <span>

namespace mottle::domain {

/// A copy of `surface` for each of `offsets`, moved by it. Vertices, faces and the places of the file come copy by copy.
/// Throws: InputError where vertices or the places of the file would be too many to number.
Surface copies_of(const Surface& surface, std::span<const Point> offsets);

}  // namespace mottle::domain
