// mottle/sweep/mosaic.cpp: rows of a picture of all members, gathered from theirs
#include "mottle/sweep/mosaic.h"

#include "mottle/core/error.h"
#include "mottle/domain/mesh/copies.h"
#include "mottle/frame/camera.h"
#include "mottle/frame/lit_surface.h"

#include <algorithm>
#include <limits>

namespace mottle::sweep {
namespace {

constexpr Index kStripHeight = 8;              // cells that a row of cells is repeated for
constexpr Index kGapShare = 32, kMostGap = 8;  // a gap is a 32nd of a tile

constexpr double kSurfaceGap = 0.06;  // between surfaces, of their width or height

/// How far points reach along a direction.
double extent_along(const std::vector<domain::Point>& points, const std::array<double, 3>& direction) {
    double lo = 0, hi = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double at = points[i][0] * direction[0] + points[i][1] * direction[1] + points[i][2] * direction[2];
        lo = i == 0 ? at : std::min(lo, at);
        hi = i == 0 ? at : std::max(hi, at);
    }
    return hi - lo;
}

}  // namespace

Layout Layout::of(const domain::Domain& domain, Index columns, Index rows) {
    Layout layout;
    layout.columns = columns;
    layout.rows = rows;
    if (std::holds_alternative<domain::Mesh>(domain)) return layout;
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

domain::Domain plane_of(const Layout& layout) {
    domain::Grid grid;
    grid.size = {layout.size()[0], layout.size()[1], 1};
    return grid;
}

domain::Domain copies_of(const domain::Mesh& mesh, const Layout& layout, const std::array<double, 2>& angles) {
    const frame::Directions to = frame::directions_of(angles);
    const std::vector<domain::Point> seen = frame::whole_surface(*mesh.surface).position;
    const double width = extent_along(seen, to.right) * (1 + kSurfaceGap), height = extent_along(seen, to.up) * (1 + kSurfaceGap);
    std::vector<domain::Point> offsets;
    for (Index row = 0; row < layout.rows; ++row) {
        for (Index column = 0; column < layout.columns; ++column) {
            const double x = width * static_cast<double>(column), y = height * static_cast<double>(row);
            offsets.push_back({x * to.right[0] + y * to.up[0], x * to.right[1] + y * to.up[1], x * to.right[2] + y * to.up[2]});
        }
    }
    domain::Mesh copies;
    copies.surface = std::make_shared<domain::Surface>(domain::copies_of(*mesh.surface, offsets));
    copies.scale = mesh.scale;
    return copies;
}

Mosaic::Mosaic(std::span<const Tile> tiles, const Layout& layout, domain::Domain domain, core::Context& context)
    : Kernel(context), tiles_(tiles), layout_(layout), domain_(std::move(domain)) {
    if (const auto* grid = std::get_if<domain::Grid>(&member().domain())) first_row_ = grid->size[2] / 2 * grid->size[1];
}

void Mosaic::advance(backend::State&, Index, Index, backend::UniformTable) { throw core::InternalError("a mosaic is only looked at"); }

void Mosaic::write_row(backend::State&, ir::Array, Index, std::span<const double>) {
    throw core::InternalError("a mosaic is only looked at");
}

template <class Real>
void Mosaic::read(ir::Array array, Index row, std::span<Real> cells) const {
    std::fill(cells.begin(), cells.end(), std::numeric_limits<Real>::quiet_NaN());
    if (std::holds_alternative<domain::Mesh>(domain_)) return read_surfaces(array, cells);
    const Index pitch = layout_.height + layout_.gap, y = row % pitch;
    if (y >= layout_.height) return;
    const Index own = backend::picture_rows(member().domain()) == 1 ? 0 : first_row_ + y;
    for (Index column = 0; column < layout_.columns; ++column) {
        const Tile& tile = tiles_[core::at(layout_.member(column, row / pitch))];
        if (tile.lost) continue;
        const auto first = core::at(column * (layout_.width + layout_.gap));
        tile.field->kernel().read_row(tile.field->state(), array, own, cells.subspan(first, core::at(layout_.width)));
    }
}

template <class Real>
void Mosaic::read_surfaces(ir::Array array, std::span<Real> cells) const {
    const auto vertices = core::at(domain::cell_count(member().domain()));
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        const Tile& tile = tiles_[i];
        if (!tile.lost) tile.field->kernel().read_row(tile.field->state(), array, 0, cells.subspan(i * vertices, vertices));
    }
}

void Mosaic::read_row(const backend::State&, ir::Array array, Index row, std::span<float> cells) const { read(array, row, cells); }

void Mosaic::read_row(const backend::State&, ir::Array array, Index row, std::span<double> cells) const { read(array, row, cells); }

backend::Range Mosaic::range(const backend::State&, ir::Array array) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    backend::Range all{kNone, kNone, 0};  // where nobody has a value
    for (const Tile& tile : tiles_) {
        if (tile.lost) continue;
        const backend::Range one = tile.field->range(array);
        if (one.first_bad >= 0) continue;
        const bool first = all.first_bad >= 0;
        all = {first ? one.min : std::min(all.min, one.min), first ? one.max : std::max(all.max, one.max), -1};
    }
    return all;
}

}  // namespace mottle::sweep
