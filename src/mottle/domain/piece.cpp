// mottle/domain/piece.cpp: a box of a grid as a grid of its own
#include "mottle/domain/piece.h"

#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::domain {
namespace {

using core::at;

/// Whether a piece ends at side `side` of the whole, and has its rule.
bool ends_with_whole(const Grid& whole, const CellBox& box, std::size_t side) {
    const std::size_t d = side / 2;
    if (box.first[d] == 0 && box.size[d] == whole.size[d]) return true;
    if (wraps(whole, side)) return false;
    return side % 2 == 0 ? box.first[d] == 0 : box.first[d] + box.size[d] == whole.size[d];
}

void require_fit(const Grid& whole, const CellBox& box) {
    if (whole.whole) throw core::InternalError("a piece of a piece of a grid");
    for (std::size_t d = 0; d < 3; ++d) {
        const Index first = box.first[d], end = first + box.size[d], n = whole.size[d];
        if (first == 0 && end == n) continue;
        const bool fits = wraps(whole, 2 * d) ? first > -n && end < 2 * n : first >= 0 && end <= n;
        if (box.size[d] < 1 || !fits || !can_be_cut(whole, d)) {
            throw core::InternalError("cells " + std::to_string(first) + " to " + std::to_string(end - 1) + " of axis " +
                                      std::to_string(d) + " are no piece of a grid of " + describe_size(whole.size));
        }
    }
}

}  // namespace

bool can_be_cut(const Grid& whole, std::size_t d) {
    return std::all_of(whole.field_sides.begin(), whole.field_sides.end(),
                       [&](const auto& entry) { return (entry.second[2 * d].rule == Rule::periodic) == wraps(whole, 2 * d); });
}

Grid piece_of(const Grid& whole, const CellBox& box) {
    require_fit(whole, box);
    Grid piece = whole;
    piece.size = box.size;
    piece.first = box.first;
    piece.whole = std::make_shared<const Grid>(whole);
    for (std::size_t side = 0; side < piece.sides.size(); ++side) {
        if (ends_with_whole(whole, box, side)) continue;
        piece.sides[side] = {Rule::no_flux, {}, {}};
        for (auto& [field, sides] : piece.field_sides) sides[side] = {Rule::no_flux, {}, {}};
    }
    return piece;
}

bool is_halo(const Grid& grid, std::size_t side) { return grid.whole && !ends_with_whole(*grid.whole, {grid.first, grid.size}, side); }

const Grid& whole_of(const Grid& grid) { return grid.whole ? *grid.whole : grid; }

Domain whole_of(const Domain& domain) {
    const auto* grid = std::get_if<Grid>(&domain);
    return grid ? Domain(whole_of(*grid)) : domain;
}

Index index_in_whole(const Grid& grid, std::size_t d, Index i) {
    const Index n = whole_of(grid).size[d], index = grid.first[d] + i;
    return index < 0 ? index + n : index < n ? index : index - n;
}

Index row_in_whole(const Grid& grid, Index row) {
    const Index y = index_in_whole(grid, 1, row % grid.size[1]), z = index_in_whole(grid, 2, row / grid.size[1]);
    return z * whole_of(grid).size[1] + y;
}

}  // namespace mottle::domain
