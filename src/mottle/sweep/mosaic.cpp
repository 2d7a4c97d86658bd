// mottle/sweep/mosaic.cpp: rows of a picture of all members, gathered from theirs
#include "mottle/sweep/mosaic.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <limits>

namespace mottle::sweep {
namespace {

constexpr Index kStripHeight = 8;              // cells that a row of cells is repeated for
constexpr Index kGapShare = 32, kMostGap = 8;  // a gap is a 32nd of a tile

domain::Grid grid_of(const Layout& layout) {
    domain::Grid grid;
    grid.size = {layout.size()[0], layout.size()[1], 1};
    return grid;
}

}  // namespace

Layout Layout::of(const domain::Domain& domain, Index columns, Index rows) {
    Layout layout;
    layout.columns = columns;
    layout.rows = rows;
    layout.width = domain::row_length(domain);
    layout.height = backend::picture_rows(domain);
    const bool lines = layout.height == 1;
    if (lines) layout.height = kStripHeight;
    if (lines && rows == 1) {
        std::swap(layout.columns, layout.rows);
    } else {
        layout.gap = std::clamp<Index>(std::min(layout.width, layout.height) / kGapShare, 1, kMostGap);
    }
    return layout;
}

Mosaic::Mosaic(std::span<const Tile> tiles, const Layout& layout, core::Context& context)
    : Kernel(context), tiles_(tiles), layout_(layout), domain_(grid_of(layout)) {
    const domain::Domain& one = member().domain();
    const auto* grid = std::get_if<domain::Grid>(&one);
    if (!grid) throw core::InternalError("a mosaic of surfaces");
    first_row_ = grid->size[2] / 2 * grid->size[1];
}

void Mosaic::advance(backend::State&, Index, Index, backend::UniformTable) { throw core::InternalError("a mosaic is only looked at"); }

void Mosaic::write_row(backend::State&, ir::Array, Index, std::span<const double>) {
    throw core::InternalError("a mosaic is only looked at");
}

template <class Real>
void Mosaic::read(ir::Array array, Index row, std::span<Real> cells) const {
    std::fill(cells.begin(), cells.end(), std::numeric_limits<Real>::quiet_NaN());
    const Index pitch = layout_.height + layout_.gap, y = row % pitch;
    if (y >= layout_.height) return;
    const Index own = backend::picture_rows(member().domain()) == 1 ? 0 : first_row_ + y;
    for (Index column = 0; column < layout_.columns; ++column) {
        const Tile& tile = tiles_[static_cast<std::size_t>(layout_.member(column, row / pitch))];
        if (tile.lost) continue;
        const auto first = static_cast<std::size_t>(column * (layout_.width + layout_.gap));
        tile.field->kernel().read_row(tile.field->state(), array, own, cells.subspan(first, static_cast<std::size_t>(layout_.width)));
    }
}

void Mosaic::read_row(const backend::State&, ir::Array array, Index row, std::span<float> cells) const { read(array, row, cells); }

void Mosaic::read_row(const backend::State&, ir::Array array, Index row, std::span<double> cells) const { read(array, row, cells); }

backend::Range Mosaic::range(const backend::State&, ir::Array array) const {
    backend::Range all;
    bool any = false;
    for (const Tile& tile : tiles_) {
        if (tile.lost) continue;
        const backend::Range one = tile.field->range(array);
        if (one.first_bad >= 0) continue;
        all.min = any ? std::min(all.min, one.min) : one.min;
        all.max = any ? std::max(all.max, one.max) : one.max;
        any = true;
    }
    return all;
}

}  // namespace mottle::sweep
