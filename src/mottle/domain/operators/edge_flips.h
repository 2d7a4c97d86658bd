// mottle/domain/operators/edge_flips.h: makes an even triangulation irregular by flipping edges
#pragma once
#include "mottle/domain/repair/triangle_soup.h"

namespace mottle::domain {

/// Flips edges in an order drawn by a fixed generator, until the variance of the valences (numbers of neighbours) is at least `variance` or
/// no flip is left that keeps every angle above 6 degrees and both triangles facing the same way. The soup is an oriented manifold; the
/// same bits on every machine.
void flip_edges(TriangleSoup& soup, double variance);

}  // namespace mottle::domain
