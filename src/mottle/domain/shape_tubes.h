// mottle/domain/shape_tubes.h: closed tubes round a bent line, covered with triangles of even size
#pragma once
#include "mottle/domain/triangle_soup.h"

namespace mottle::domain {

/// A snake 24 long: head, neck, tapered tail, bent in waves, with about `vertices` vertices.
TriangleSoup snake_of(double vertices);

}  // namespace mottle::domain
