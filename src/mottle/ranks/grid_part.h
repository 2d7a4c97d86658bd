// mottle/ranks/grid_part.h: the share of one rank in a grid: a block and the halo around it
#pragma once
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/part.h"
#include "mottle/ranks/regions.h"

namespace mottle::ranks {

class GridPart final : public Part {
   public:
    /// `program` and `grid` are the whole's; a single block is that of this rank. Throws: as Backend::compile.
    GridPart(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, Hiding hiding, const backend::Schedule& schedule,
             backend::Backend& backend, core::Context& context, Transport& transport);

    backend::Spread spread() const override;
    bool can_hide() const override { return !rims_.empty(); }
    std::vector<double> cells_for(int rank, Index row, std::span<const double> cells) const override;
    void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) override;
    bool owns_of(Index first, Index end, int rank) const override;
    Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const override;
    void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const override;
    PixelBox pixels(int rank, const DrawRequest& request, Lines lines) const override;
    Bytes draw(const PartState& state, const DrawRequest& request, const PixelBox& box) const override;

   protected:
    void begin_exchange(const PartState& state, Meanwhile meanwhile) override;
    void place_halos(PartState& state) override;
    void begin_rims(PartState& state) override;
    void finish_rims(PartState& state, Index first_step, Index n, const backend::UniformTable& uniforms) override;
    OwnRows own_rows() const override { return {own_.size[1] * own_.size[2], own_.size[0]}; }
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const override;
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const override;
    void write_own(PartState& state, ir::Array array, Index own_row, std::span<const float> cells) override;
    void write_own(PartState& state, ir::Array array, Index own_row, std::span<const double> cells) override;
    void read_raw_own(const PartState& state, ir::Array array, Index own_row, std::span<std::byte> numbers) const override;
    Index number_of(Index own_cell) const override;

   private:
    const domain::Grid& piece() const { return std::get<domain::Grid>(piece_); }
    /// A halo that comes from a block beside this one, and the own cells that go there. Boxes are those of the piece.
    struct Halo {
        CellBox sent, received;
        HaloBytes out, in;
    };
    /// The cells at one side of the block, on both sides of it, as a piece of their own. Boxes are those of the piece, but for the kernel's.
    struct Rim {
        CellBox box;    ///< of the piece: the halo, and twice as many own cells
        CellBox taken;  ///< own cells among them, from which it is computed
        CellBox good;   ///< own cells that it makes: those that a pass without halos leaves wrong
        std::unique_ptr<backend::Kernel> kernel;
        Bytes cells;  ///< on their way between it and the piece
    };
    void make_halos();
    void add_rim(std::size_t d, bool high);
    void create_rim_states(PartState& state) const;
    template <class Real>
    void read_block_row(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const;
    template <class Real>
    void write_block_row(PartState& state, ir::Array array, Index own_row, std::span<const Real> cells);
    /// The row of the piece that has an own row.
    Index row_of_piece(Index own_row) const;
    /// Calls `work(own_row, row, box)` for the rows of `rank`, which owns `box`, among rows first .. end - 1 of the whole.
    template <class Work>
    void for_own_rows(Index first, Index end, int rank, const Work& work) const;

    domain::Grid grid_;
    Blocks blocks_;
    int block_;  ///< the one of this rank
    domain::CellBox own_;
    domain::Domain piece_;
    Triple inset_{};  ///< where own cells begin in the piece
    std::vector<Halo> halos_;
    std::vector<Rim> rims_;  ///< empty: halos are not hidden
    std::vector<ir::Array> states_;
};

}  // namespace mottle::ranks
