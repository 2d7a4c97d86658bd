// mottle/backend/cuda/mesh/rows.h: the rows of a mesh as kernels read them: slices of 32, small numbers of neighbours
#pragma once
#include "mottle/backend/schedule.h"
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mottle::backend::cuda {

using domain::Vertex;

/// The vertices in the order in which they lie on the device: ring by ring, so that neighbours are near each other, unless a schedule says
/// otherwise, and by falling valence inside windows, so that the 32 rows of a slice are of one length. It changes no result: every sum keeps its
/// own order.
/// Shape: V entries; position -> vertex.
std::vector<Vertex> device_order(const domain::Mesh& mesh, VertexOrder order, core::ThreadTeam& team);

inline constexpr Index kSlice = 32;

/// Rows in slices: entry k of row r of a slice is `first` + 32 k + r, so that a warp reads 32 entries that lie side by side.
class MeshRows {
   public:
    /// As declared in the emitted text. `base`: the vertex from which the neighbour numbers of its rows are counted.
    struct alignas(16) Slice {
        long long first = 0;
        std::int32_t base = 0;
    };

    /// Appends whole slices for `vertices`. `number`: of a vertex, by what the rows name it.
    /// Throws: InputError, if a vertex has more than 255 neighbours.
    void add(const domain::MeshOperators& rows, std::span<const Vertex> vertices, std::span<const std::int32_t> number);
    /// Lets numbers count from the lowest of their slice. False, and nothing changed: there they take more than 16 bits.
    bool shorten();

    const std::vector<Slice>& slices() const { return slices_; }
    const std::vector<std::uint8_t>& valences() const { return valences_; }  ///< by row, 0 where a slice is made whole
    const std::vector<std::int32_t>& numbers() const { return numbers_; }    ///< by entry, 0 where there is none
    const std::vector<Index>& edges() const { return edges_; }               ///< by entry, of domain::MeshOperators; -1: there is none

   private:
    std::vector<Slice> slices_;
    std::vector<std::uint8_t> valences_;
    std::vector<std::int32_t> numbers_;
    std::vector<Index> edges_;
};

}  // namespace mottle::backend::cuda
