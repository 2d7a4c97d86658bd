// mottle/backend/cpu/mesh/layout.h: a part of a mesh in slices: rings, ghosts, packed weights and indices
#pragma once
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/backend/cpu/mesh/plan.h"
#include "mottle/domain/mesh/parts.h"

#include <cstdint>
#include <vector>

namespace mottle::backend::cpu {

using domain::Vertex;

/// How a part is packed.
struct Packing {
    int lanes = 16;  ///< vertices of a slice
    bool f64 = false;
    bool wide = false;      ///< indices of 32 bits
    int levels = 1;         ///< stages of a whole pass: the part carries so many hops of ghosts; 0: none, the part is the whole mesh
    Index ring = 256;       ///< fewest vertices of a ring
    bool as_given = false;  ///< one ring in the order of the part's vertices, sorted by number of neighbours within `ring` of them
};

/// A copy of a vertex that another part owns.
struct GhostSlot {
    std::int32_t slot;
    std::int32_t part;
    std::int32_t source;  ///< its slot there
};

/// Vertices in slots: ring after ring, in a ring by hop, then by number of neighbours, filled up to whole slices. The neighbours of ring r lie
/// in r-1, r, r+1. Padding lanes have no vertex; missing neighbours are the vertex itself with weight -0, which changes no finite sum.
struct PartLayout {
    std::vector<Vertex> vertex;            ///< by slot; -1: padding
    std::vector<std::int32_t> ring_first;  ///< first slice of each ring; size rings + 1
    std::vector<std::int32_t> needed;      ///< [ring][level 0..levels]: slices at the front of the ring that level must compute
    std::vector<std::int32_t> entries;     ///< first neighbour of each slice; size slices + 1
    Memory weights, indices;
    std::size_t weight_bytes = 0;   ///< of one entry
    std::vector<GhostSlot> ghosts;  ///< sources are set by connect_ghosts

    int rings() const { return static_cast<int>(ring_first.size()) - 1; }
    Index slots() const { return static_cast<Index>(vertex.size()); }
    int slices() const { return ring_first.back(); }
};

/// Packs the part that owns `part.vertices`. `weights` by MeshPlan::edges, in f64. Returns false (and nothing usable) if an index does not fit 16 bits.
bool pack_part(const domain::Graph& graph, const std::vector<const std::vector<double>*>& weights, const domain::MeshPart& part,
               const Packing& packing, domain::PartScratch& scratch, PartLayout& layout);

}  // namespace mottle::backend::cpu
