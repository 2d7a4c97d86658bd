// mottle/ranks/surface_part.h: the share of one rank in a surface: some vertices and the halo around them
#pragma once
#include "mottle/ranks/part.h"
#include "mottle/ranks/surface_share.h"

namespace mottle::ranks {

class SurfacePart final : public Part {
   public:
    /// `piece`: the vertices of the share of this rank, as a mesh (domain/mesh/piece.h). `shares`: on rank 0 those of all ranks, else that of this one alone.
    /// Throws: as Backend::compile.
    SurfacePart(const ir::Program& program, domain::Mesh piece, std::vector<SurfaceShare> shares, const backend::Schedule& schedule,
                backend::Backend& backend, core::Context& context, Transport& transport);

    std::vector<double> cells_for(int rank, Index row, std::span<const double> cells) const override;
    void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) override;
    bool owns_of(Index, Index, int) const override { return true; }
    Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const override;
    void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const override;

   protected:
    void exchange(PartState& state) override;
    OwnRows own_rows() const override { return {1, std::ssize(share().own)}; }
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const override;
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const override;
    Index number_of(Index own_cell) const override;
    std::span<const double> own_areas() const override { return areas_; }

   private:
    const SurfaceShare& share() const { return shares_.front(); }
    template <class Real>
    void trade(PartState& state);
    template <class Real>
    void pick_own(const PartState& state, ir::Array array, std::span<Real> cells) const;

    std::vector<SurfaceShare> shares_;  ///< that of this rank first
    domain::Domain piece_;
    std::vector<double> areas_;  ///< of own vertices
};

}  // namespace mottle::ranks
