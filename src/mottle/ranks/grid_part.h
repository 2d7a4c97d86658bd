// mottle/ranks/grid_part.h: the share of one rank in a grid: a block and the halo around it
#pragma once
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/part.h"

namespace mottle::ranks {

class GridPart final : public Part {
   public:
    /// `program` and `grid` are the whole's. Throws: as Backend::compile.
    GridPart(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, const backend::Schedule& schedule,
             backend::Backend& backend, core::Context& context, Transport& transport);

    std::vector<double> cells_for(int rank, Index row, std::span<const double> cells) const override;
    void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) override;
    bool owns_of(Index first, Index end, int rank) const override;
    Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const override;
    void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const override;

   protected:
    void exchange(PartState& state) override;
    OwnRows own_rows() const override { return {own_.size[1] * own_.size[2], own_.size[0]}; }
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const override;
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const override;
    Index number_of(Index own_cell) const override;

   private:
    const domain::Grid& piece() const { return std::get<domain::Grid>(piece_); }
    template <class Real>
    void exchange_axis(PartState& state, std::size_t d);
    /// Cells of the piece at one end of axis `d`: own ones, or those `beyond`, in the halo.
    domain::CellBox edge(std::size_t d, bool high, bool beyond) const;
    std::size_t cells_of(const domain::CellBox& region) const;
    /// Calls `work(array, row, place)` for the rows of the piece in `region`, on all threads; their cells stand at `place` of a halo.
    template <class Work>
    void for_rows(const domain::CellBox& region, const Work& work) const;
    template <class Real>
    void pack(const PartState& state, const domain::CellBox& region, Bytes& halo) const;
    template <class Real>
    void unpack(PartState& state, const domain::CellBox& region, const Bytes& halo);
    template <class Real>
    void read_block_row(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const;
    /// Calls `work(own_row, row, box)` for the rows of `rank`, which owns `box`, among rows first .. end - 1 of the whole.
    template <class Work>
    void for_own_rows(Index first, Index end, int rank, const Work& work) const;

    domain::Grid grid_;
    Blocks blocks_;
    domain::CellBox own_;
    domain::Domain piece_;
    Triple inset_{};              ///< where own cells begin in the piece
    std::array<Bytes, 4> halos_;  ///< on their way: those to lower and higher cells, those from there
};

}  // namespace mottle::ranks
