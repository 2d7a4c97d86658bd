// mottle/domain/mesh/incidence.h: the corners of faces that meet at each vertex, and the one-ring that follows from them
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

#include <functional>
#include <memory>
#include <span>

namespace mottle::domain {

/// A corner of a face as its vertex sees it. The neighbours stand here too: nothing round a vertex is looked up among the faces.
struct Corner {
    std::uint32_t place;    ///< 3 * face + place in the face
    Vertex next, previous;  ///< the vertices after and before it in the face
    std::uint32_t face() const { return place / 3; }
};

/// Corners by vertex, in ascending order of faces.
struct Incidence {
    std::vector<std::uint32_t> first;   ///< V + 1
    std::unique_ptr<Corner[]> corners;  ///< 3 per face

    std::span<const Corner> at(Vertex vertex) const {
        const auto v = core::at(vertex);
        return {corners.get() + first[v], first[v + 1] - first[v]};
    }
};

Incidence incidence_of(std::span<const Triangle> faces, std::size_t vertices, core::ThreadTeam& team);

/// A neighbour of a vertex through one face; `leaving`: the face runs from the vertex to the neighbour.
struct Spoke {
    Vertex neighbour, original;  ///< its number here, and in the file
    bool leaving;
    std::uint32_t corner;  ///< which of the vertex's corners
};

/// The spokes of a vertex by ascending original number of the neighbour, those of one neighbour by ascending face.
/// `original`: Surface::original.
void spokes_of(std::span<const Corner> corners, std::span<const Vertex> original, std::vector<Spoke>& spokes);

/// Calls work(begin, end, worker) with the workers' shares of 0..count.
void share_out(core::ThreadTeam& team, Index count, const std::function<void(Index begin, Index end, int worker)>& work);

}  // namespace mottle::domain
