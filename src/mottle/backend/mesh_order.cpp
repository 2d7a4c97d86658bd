// mottle/backend/mesh_order.cpp: the orders of the vertices of a mesh that a schedule asks for by name
#include "mottle/backend/mesh_order.h"

#include "mottle/domain/mesh/vertex_order.h"

namespace mottle::backend {

std::vector<domain::Vertex> given_order(const domain::Surface& surface, VertexOrder order, core::ThreadTeam& team) {
    switch (order) {
        case VertexOrder::rings:
            return {};
        case VertexOrder::file:
            return surface.in_file_order();
        case VertexOrder::morton:
            return domain::morton_order(surface.position, team);
    }
    return {};
}

}  // namespace mottle::backend
