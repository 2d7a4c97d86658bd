// mottle/backend/cpu/plane/row_layout.h: lane-transposed rows: the position of each cell of a row
#pragma once
#include "mottle/backend/cell_sum.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mottle::backend::cpu {

using core::Index;

/// A row of `width` cells is cut into one segment of `columns` cells per lane; vector j holds cell j of every segment, so that neighbours in x are
/// the vectors beside. Segments overlap by at most one cell where the width is no multiple of the lanes. One ghost vector stands at each end.
class RowLayout {
   public:
    /// `register_lanes` is the most a vector holds; narrow rows take fewer lanes, down to 1.
    RowLayout(Index width, int register_lanes, std::size_t scalar_bytes);

    Index width() const { return width_; }
    int lanes() const { return lanes_; }
    Index columns() const { return columns_; }
    bool overlap() const { return overlap_; }
    std::size_t scalar_bytes() const { return scalar_bytes_; }
    std::size_t vector_bytes() const { return core::at(lanes_) * scalar_bytes_; }
    std::size_t row_bytes() const { return core::at(columns_) * vector_bytes(); }
    std::size_t array_pitch() const { return row_bytes() + 2 * vector_bytes(); }
    /// First cell of a lane's segment.
    Index start(int lane) const { return starts_[core::at(lane)]; }
    const void* left_overlap() const { return masks_.data(); }
    const void* right_overlap() const { return masks_.data() + kMaskBytes; }

    /// `row` points at vector 0. `left` and `right` are the cells outside the row.
    template <class Real>
    void scatter(std::span<const Real> cells, Real left, Real right, void* row) const;
    template <class Real>
    void gather(const void* row, std::span<Real> cells) const;
    /// Kernel::row_lanes of such rows: segments that overlap cannot be copied as they stand.
    int raw_lanes() const { return overlap_ ? 1 : lanes_; }
    /// A row whose numbers stand in this order, and have no overlap; `wraps`: the cells outside it are those at its other end, else they mirror.
    template <class Real>
    void place(std::span<const Real> numbers, bool wraps, void* row) const;
    /// Adds each cell of a row once.
    template <class Real>
    void sum(const void* row, CellSum& sum) const;
    /// Positions of cells first .. first + count - 1, in scalars from vector 0; lanes must not overlap. Ghosts are not updated when a cell is changed there,
    /// so it must not begin or end a segment but the row's own ends.
    std::vector<std::uint32_t> places(Index first, Index count) const;
    /// The first and last cell, and the ghosts beside them.
    template <class Real>
    Real& first(void* row) const {
        return static_cast<Real*>(row)[0];
    }
    template <class Real>
    Real& last(void* row) const {
        return static_cast<Real*>(row)[columns_ * lanes_ - 1];
    }
    template <class Real>
    Real& left_ghost(void* row) const {
        return static_cast<Real*>(row)[-lanes_];
    }
    template <class Real>
    Real& right_ghost(void* row) const {
        return static_cast<Real*>(row)[(columns_ + 1) * lanes_ - 1];
    }

   private:
    template <class Real>
    void fill_ghosts(Real left, Real right, Real* row) const;

    static constexpr std::size_t kMaskBytes = 64;
    Index width_, columns_ = 0;
    int lanes_ = 1;
    std::size_t scalar_bytes_;
    bool overlap_ = false;
    std::vector<Index> starts_;
    std::vector<int> new_at_start_;  ///< lanes whose first cell is not the last of the segment before
    struct alignas(64) Masks {
        std::uint8_t bytes[2 * kMaskBytes] = {};
        const std::uint8_t* data() const { return bytes; }
        std::uint8_t* data() { return bytes; }
    } masks_;
};

/// ir::round_to<float> of each cell of a row; both have one length.
void round_row(std::span<const double> cells, std::span<float> out);

}  // namespace mottle::backend::cpu
