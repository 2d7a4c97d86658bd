// mottle/backend/mesh_order.h: the orders of the vertices of a mesh that a schedule asks for by name
#pragma once
#include "mottle/backend/schedule.h"
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

#include <vector>

namespace mottle::backend {

/// The vertices as in the file or along a Morton curve; none for rings, which each kernel makes itself.
std::vector<domain::Vertex> given_order(const domain::Surface& surface, VertexOrder order, core::ThreadTeam& team);

}  // namespace mottle::backend
