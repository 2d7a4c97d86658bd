// mottle/backend/cuda/mesh/patches.h: a mesh cut into patches that one block each can advance by several steps
#pragma once
#include "mottle/backend/cuda/mesh/rows.h"

#include <cstdint>
#include <vector>

namespace mottle::backend::cuda {

/// The capacity of a block.
struct PatchLimits {
    int steps = 2;  ///< of a pass: a patch carries so many hops of ghosts
    int rows = 0;   ///< vertices it updates, ghosts of all hops but the last among them: one for each thread
    int slots = 0;  ///< vertices whose states it holds
};

/// Vertices that a block owns, and their ghosts. Its slots: what it owns first, then hop after hop, each by falling valence; rows name
/// neighbours by slot.
class MeshPatches {
   public:
    /// `owned`: number of vertices that a patch should own; a patch that exceeds the limits is halved.
    MeshPatches(const domain::Mesh& mesh, const PatchLimits& limits, Index owned, core::ThreadTeam& team);

    /// A patch of one vertex exceeds the limits; then the rest is empty.
    bool impossible() const { return order_.empty(); }
    Index count() const { return count_; }
    /// Owned vertices, patch by patch: position -> vertex.
    const std::vector<Vertex>& order() const { return order_; }
    /// For each patch, as the text declares it: position of its first vertex, place of its first ghost, its first slice, then the number of
    /// slots at most 0, 1, .. `steps` hops away.
    const std::vector<std::int32_t>& records() const { return records_; }
    const std::vector<std::int32_t>& ghosts() const { return ghosts_; }  ///< positions
    const MeshRows& rows() const { return rows_; }

   private:
    Index count_ = 0;
    std::vector<Vertex> order_;
    std::vector<std::int32_t> records_, ghosts_;
    MeshRows rows_;
};

}  // namespace mottle::backend::cuda
