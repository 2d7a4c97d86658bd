// mottle/domain/incidence.h: the corners of faces that meet at each vertex, and the one-ring read off them
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh.h"

#include <functional>
#include <span>

namespace mottle::domain {

using Corner = std::uint32_t;  ///< 3 * face + place in the face

/// Corners by vertex, ascending: so faces come in ascending order.
struct Incidence {
    std::vector<Corner> first;  ///< V + 1
    std::vector<Corner> corners;

    std::span<const Corner> at(Vertex vertex) const {
        const auto v = static_cast<std::size_t>(vertex);
        return {corners.data() + first[v], first[v + 1] - first[v]};
    }
};

Incidence incidence_of(std::span<const Triangle> faces, std::size_t vertices);

/// A neighbour of a vertex through one face; `leaving`: the face runs from the vertex to the neighbour.
struct Spoke {
    Vertex neighbour;
    bool leaving;
    Corner corner;  ///< the corner of the vertex in the face
};

/// The spokes of a vertex by ascending neighbour, those of one neighbour by ascending face.
void spokes_of(std::span<const Triangle> faces, std::span<const Corner> corners, std::vector<Spoke>& spokes);

/// Calls work(begin, end, worker) with the workers' shares of 0..count.
void share_out(core::ThreadTeam& team, Index count, const std::function<void(Index begin, Index end, int worker)>& work);

}  // namespace mottle::domain
