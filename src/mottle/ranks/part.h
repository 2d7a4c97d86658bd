// mottle/ranks/part.h: what one rank has of a run: a kernel on its block and the halos around it
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/transport.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace mottle::ranks {

/// The share of one rank in a sum over all cells, to be added to an ExactSum of the same magic numbers.
struct SumShare {
    double largest = 0;  ///< of the magnitudes of the cells; infinity or NaN if one is
    std::array<double, 3> parts{};
};

/// What is summed: cells, or squares of their distances from a mean.
struct SumTerms {
    std::array<double, 3> magic{};
    bool squares = false;
    double mean = 0;
};

class PartState {
   public:
    std::unique_ptr<backend::State> state;
    int good_steps = 0;  ///< that halos are still right for
};

class Part {
   public:
    /// `program` and `grid` are the whole's. Throws: as Backend::compile.
    Part(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks, const backend::Schedule& schedule,
         backend::Backend& backend, core::Context& context, Transport& transport);

    const backend::Kernel& kernel() const { return *kernel_; }
    const Blocks& blocks() const { return blocks_; }

    std::unique_ptr<PartState> create_state();
    /// With all other ranks, as Kernel::advance. Halos are exchanged where they are no longer right.
    void advance(PartState& state, Index first_step, Index n, backend::UniformTable uniforms);

    /// A row of the whole: what lies in this part, halos included, is set.
    void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells);
    /// Whether that does anything on `rank`.
    bool has_row(Index row, int rank) const;

    /// Whether `rank` owns cells of rows first .. end - 1 of the whole.
    bool owns_of(Index first, Index end, int rank) const;
    /// Those of this rank, row by row, in the precision of the Program.
    Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const;
    /// Puts what the rank `from` has read into these rows of the whole.
    void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const;

    /// Of own cells; first_bad is an index of the whole.
    backend::Range range(const PartState& state, ir::Array array) const;
    SumShare sum(const PartState& state, ir::Array array, const SumTerms& terms) const;

   private:
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
    backend::Range own_range(const PartState& state, ir::Array array) const;
    template <class Real>
    SumShare own_sum(const PartState& state, ir::Array array, const SumTerms& terms) const;
    template <class Real>
    void read_own(const PartState& state, ir::Array array, Index own_row, std::span<Real> cells) const;
    /// Calls `work(own_row, row, box)` for the rows of `rank`, which owns `box`, among rows first .. end - 1 of the whole.
    template <class Work>
    void for_own_rows(Index first, Index end, int rank, const Work& work) const;

    domain::Grid grid_;
    Blocks blocks_;
    domain::CellBox own_;
    domain::Domain piece_;
    Triple inset_{};  ///< where own cells begin in the piece
    core::Context& context_;
    Transport& transport_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::array<Bytes, 4> halos_;  ///< on their way: those to lower and higher cells, those from there
};

}  // namespace mottle::ranks
