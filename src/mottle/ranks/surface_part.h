// mottle/ranks/surface_part.h: the share of one rank in a surface: some vertices and the halo around them
#pragma once
#include "mottle/ranks/part.h"
#include "mottle/ranks/surface_share.h"

#include <optional>

namespace mottle::ranks {

class SurfacePart final : public Part {
   public:
    /// `piece`: the vertices of the share of this rank, as a mesh (domain/mesh/piece.h); `rim`: those of its rim, or nothing. `shares`: on rank 0 those of all ranks, else that of this one alone.
    /// Throws: as Backend::compile.
    SurfacePart(const ir::Program& program, domain::Mesh piece, std::optional<domain::Mesh> rim, std::vector<SurfaceShare> shares,
                const backend::Schedule& schedule, backend::Backend& backend, core::Context& context, Transport& transport);

    bool can_hide() const override { return rim_ != nullptr; }

    std::vector<double> cells_for(int rank, Index row, std::span<const double> cells) const override;
    void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) override;
    bool owns_of(Index, Index, int) const override { return true; }
    Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const override;
    void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const override;
    std::optional<FilePiece> collect(const PartState& state, ir::Array array, const backend::CellFile& to) const override;
    bool load(PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& from) override;

   protected:
    void begin_exchange(const PartState& state, Meanwhile meanwhile) override;
    void place_halos(PartState& state) override;
    void begin_rims(PartState& state) override;
    void finish_rims(PartState& state, Index first_step, Index n, const backend::UniformTable& uniforms) override;
    OwnRows own_rows() const override { return {1, std::ssize(share().own)}; }
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const override;
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const override;
    void write_own(PartState& state, ir::Array array, Index own_row, std::span<const float> cells) override;
    void write_own(PartState& state, ir::Array array, Index own_row, std::span<const double> cells) override;
    Index number_of(Index own_cell) const override;
    std::span<const double> own_areas() const override { return areas_; }

   private:
    const SurfaceShare& share() const { return shares_.front(); }
    /// Values of all states at some vertices, one state after another.
    void read_states(const backend::Kernel& kernel, const backend::State& state, std::span<const domain::Vertex> vertices,
                     std::span<std::byte> numbers) const;
    void write_states(backend::Kernel& kernel, backend::State& state, std::span<const domain::Vertex> vertices,
                      std::span<const std::byte> numbers) const;
    std::size_t bytes_of(std::span<const domain::Vertex> vertices) const;
    /// What `vertices` of all states take that go to the rank of a trade, or come from there.
    HaloBytes halo_of(const Trade& trade, std::span<const domain::Vertex> vertices) const;
    void create_rim_state(PartState& state) const;
    template <class Real>
    void pick_own(const PartState& state, ir::Array array, std::span<Real> cells) const;
    template <class Real>
    void put_own(PartState& state, ir::Array array, std::span<const Real> cells);

    /// Of all own vertices.
    FileEntries all_entries() const;

    std::vector<SurfaceShare> shares_;            ///< that of this rank first
    mutable std::optional<FileEntries> entries_;  ///< all_entries, once a file asks for them
    domain::Domain piece_;
    std::vector<double> areas_;                                 ///< of own vertices
    std::unique_ptr<backend::Kernel> rim_;                      ///< null: halos are not hidden
    std::vector<domain::Vertex> all_of_rim_;                    ///< 0, 1, ..
    std::vector<domain::Vertex> good_;                          ///< SurfaceRim::good, as places in SurfaceShare::vertices
    std::vector<std::vector<domain::Vertex>> received_in_rim_;  ///< Trade::received, as places in SurfaceRim::vertices
};

}  // namespace mottle::ranks
