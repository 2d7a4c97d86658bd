// mottle/ranks/surface_share.h: the vertices of a surface shared out to ranks, and the halos around the shares
#pragma once
#include "mottle/domain/mesh/piece.h"
#include "mottle/ir/program/program.h"

#include <vector>

namespace mottle::ranks {

using core::Index;

/// Vertices that two ranks trade at each exchange: places in SurfaceShare::vertices, on both sides in ascending order of the whole's numbers.
struct Trade {
    std::int32_t rank = 0;  ///< the other one
    std::vector<domain::Vertex> sent, received;
};

/// The vertices near the cut, as a piece of their own: the halo, and own ones up to twice as far from it as a pass reaches.
struct SurfaceRim {
    std::vector<domain::Vertex> vertices;  ///< places in SurfaceShare::vertices, ascending; empty: there is no middle to hide halos behind
    std::vector<domain::Vertex> good;      ///< places in `vertices` of own ones that it makes: those that a pass without halos leaves wrong
};

/// Entries of a file that has one for each vertex of the surface's mesh file.
struct FileEntries {
    Index count = 0;                     ///< of all ranks
    std::vector<domain::Vertex> number;  ///< in the mesh file, ascending
    std::vector<domain::Vertex> own;     ///< the place in SurfaceShare::own of the vertex whose value it has; -1: of none
};

/// What a rank has of a surface.
struct SurfaceShare {
    Index whole = 0;                       ///< vertices of all ranks
    std::vector<domain::Vertex> vertices;  ///< own ones and those of the halo, by their numbers in the whole, ascending
    std::vector<domain::Vertex> own;       ///< places of own ones in `vertices`, ascending
    std::vector<Trade> trades;             ///< by rank
    std::int32_t steps = 1;                ///< between two exchanges
    FileEntries entries;  ///< those beside the ones of Surface::original: copies of own vertices, on rank 0 those of no vertex
    SurfaceRim rim;
};

/// The vertices of the rim, by their numbers in the whole.
std::vector<domain::Vertex> rim_vertices(const SurfaceShare& share);

/// Those that the program reads.
domain::PieceWeights weights_of(const ir::Program& program);

/// A share for each rank, with halos for as many steps as `asked` (0: what suits the surface). Throws: InputError (more ranks than the surface can be cut for).
std::vector<SurfaceShare> share_out(const ir::Program& program, const domain::Mesh& mesh, int ranks, int asked, core::ThreadTeam& team);

}  // namespace mottle::ranks
