// mottle/backend/cpu/plane/strips.h: wide rows cut into strips that a pass sweeps one after the other, and the edges that strips exchange
#pragma once
#include "mottle/backend/cpu/plane/row_layout.h"

#include <array>
#include <cstddef>
#include <vector>

namespace mottle::backend::cpu {

/// A strip of every row: its own cells and, next to other strips, ghost cells, all in one lane-transposed row. At such an end a kernel's own
/// ghosts are invalid: the invalid values advance by the radius of the stencil per step, so `ghosts` cells suffice for a whole pass.
struct Strip {
    Index first = 0, cells = 0;  ///< own cells, of the grid's row
    Index left = 0, right = 0;   ///< ghost cells held at the ends; at least Strips::ghosts, or 0 at a border of the grid
    RowLayout layout;            ///< of left + cells + right cells

    bool at_left_border() const { return left == 0; }
    bool at_right_border() const { return right == 0; }
};

/// All strips of a row.
struct Strips {
    Index ghosts = 0;           ///< cells at each end of a strip that its neighbours need after a pass
    std::vector<Strip> strips;  ///< from left to right; one strip without ghosts is the whole row

    bool whole() const { return strips.size() == 1; }
    int count() const { return static_cast<int>(strips.size()); }
    /// The strip beside `strip`, cyclically.
    int left_of(int strip) const { return (strip + count() - 1) % count(); }
    int right_of(int strip) const { return (strip + 1) % count(); }
};

/// The row as one strip.
Strips whole_row(Index width, int register_lanes, std::size_t scalar_bytes);

/// Strips of about `chunk` >= 1 own cells, and if possible not more. Whole rows where strips would be too narrow: a strip's ghosts must lie
/// inside its first and last lane, so that writing them changes nothing else.
Strips cut_row(Index width, Index chunk, Index ghosts, bool periodic, int register_lanes, std::size_t scalar_bytes);

/// The own cells at both ends of every strip and row as they stand between two passes, dense. Two copies: one pass reads one and writes the other.
class Edges {
   public:
    Edges() = default;
    Edges(const Strips& strips, Index rows, int arrays, std::size_t scalar_bytes);

    /// Strips::ghosts cells of each array, one array after the other.
    std::byte* at(int parity, int strip, Index row, bool right) {
        return memory_[core::at(parity)].data() + ((core::at(strip) * rows_ + core::at(row)) * 2 + (right ? 1 : 0)) * bytes_;
    }

   private:
    std::size_t rows_ = 0, bytes_ = 0;
    std::array<std::vector<std::byte>, 2> memory_;
};

}  // namespace mottle::backend::cpu
