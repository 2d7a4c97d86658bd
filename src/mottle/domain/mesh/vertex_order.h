// mottle/domain/mesh/vertex_order.h: an order of vertices in which neighbours in space are close in memory
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

#include <span>

namespace mottle::domain {

/// Whether faces join vertices of numbers so far apart that work on each vertex would meet its neighbours out of the cache; never for small meshes.
bool is_scattered(std::size_t vertices, std::span<const Triangle> faces);

/// 0 .. position.size() - 1 along a Morton curve, those of one cell of the curve ascending; ascending where the box of the points is not finite or empty.
std::vector<Vertex> morton_order(const std::vector<Point>& position, core::ThreadTeam& team);

}  // namespace mottle::domain
