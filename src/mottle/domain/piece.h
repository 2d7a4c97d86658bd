// mottle/domain/piece.h: a box of a grid as a grid of its own, whose cells are those of the whole and some of whose sides are halos
#pragma once
#include "mottle/domain/domain.h"

#include <span>

namespace mottle::domain {

/// A box of cells of a grid: cells first[d] to first[d] + size[d] - 1 along each axis d.
struct CellBox {
    Triple first{}, size{1, 1, 1};
};

/// Whether pieces of `whole` may end within axis `d`. Not where some fields wrap and others do not: their cells beyond the sides would differ.
bool can_be_cut(const Grid& whole, std::size_t d);

/// The cells of `box`, which may go on beyond sides of `whole` that wrap. Where the box ends and the whole does not, its side is a halo: of rule no_flux, which means
/// nothing. A kernel leaves cells wrong as far from a halo as its steps reach; whoever asked for the piece makes it as much larger and writes these cells anew.
/// Throws: InternalError (a piece of a piece, a box that does not fit, an axis that cannot be cut).
Grid piece_of(const Grid& whole, const CellBox& box);
/// Whether `side` of `grid` is a halo. Never of a grid that is no piece.
bool is_halo(const Grid& grid, std::size_t side);

/// The grid that `grid` is a piece of, or itself.
const Grid& whole_of(const Grid& grid);
Domain whole_of(const Domain& domain);
/// Index in the whole of cell `i` of axis `d`, and the row there of row `row`.
Index index_in_whole(const Grid& grid, std::size_t d, Index i);
Index row_in_whole(const Grid& grid, Index row);

/// The cells of a piece's row among those of the whole's.
template <class Real>
void take_row(const Grid& piece, std::span<const Real> whole_row, std::span<Real> row) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = whole_row[core::at(index_in_whole(piece, 0, static_cast<Index>(i)))];
}

}  // namespace mottle::domain
