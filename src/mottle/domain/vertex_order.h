// mottle/domain/vertex_order.h: an order in which vertices that lie close together come close together
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh.h"

#include <span>

namespace mottle::domain {

/// The order in which work on each vertex meets its neighbours in the cache: that of the file where faces join vertices of near numbers, else along a
/// Morton curve. It changes no result.
std::vector<Vertex> nearby_order(const std::vector<Point>& position, std::span<const Triangle> faces, core::ThreadTeam& team);

}  // namespace mottle::domain
