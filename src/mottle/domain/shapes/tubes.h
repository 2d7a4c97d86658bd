// mottle/domain/shapes/tubes.h: tubes round a bent line, covered with triangles
#pragma once
#include "mottle/domain/repair/triangle_soup.h"

namespace mottle::domain {

/// A snake 24 long: head, neck, tapered tail, bent in waves, with about `vertices` vertices.
TriangleSoup snake_of(double vertices);

/// The same animal as irregular as the mesh of the surface paper: 47,867 +- 500 vertices of valence variance 3.6, graded edges, open along the belly.
TriangleSoup kaa();

}  // namespace mottle::domain
