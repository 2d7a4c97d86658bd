// mottle/backend/coordinates.cpp: the tables behind ir::Op::axis
#include "mottle/backend/coordinates.h"

#include "mottle/domain/piece.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mottle::backend {
namespace {

using core::at;

}  // namespace

int direction(ir::Axis axis) { return static_cast<int>(axis) % 3; }

std::vector<double> coordinate_table(const domain::Grid& grid, ir::Axis axis) {
    const int d = direction(axis);
    const domain::Index n = grid.size[at(d)];
    if (grid.whole) {
        const std::vector<double> all = coordinate_table(*grid.whole, axis);
        std::vector<double> table(at(n));
        for (domain::Index i = 0; i < n; ++i) table[at(i)] = all[at(domain::index_in_whole(grid, at(d), i))];
        return table;
    }
    const double h = grid.spacing[at(d)];
    std::vector<double> table(at(n), 0.0);
    if (axis >= ir::kCellX) {
        std::iota(table.begin(), table.end(), 0.0);
        return table;
    }
    if (axis >= ir::kStillX) {
        if (grid.sides[at(2 * d)].rule == domain::Rule::still) table.front() = 1;
        if (grid.sides[at(2 * d + 1)].rule == domain::Rule::still) table.back() = 1;
        return table;
    }
    const double length = static_cast<double>(n) * h;
    for (domain::Index i = 0; i < n; ++i) {
        double x = (static_cast<double>(i) + 0.5) * h;
        table[at(i)] = axis >= ir::kUnitX ? x / length : x;
    }
    return table;
}

std::vector<double> coordinate_table(const domain::Mesh& mesh, ir::Axis axis) {
    const std::vector<domain::Point>& position = mesh.surface->position;
    std::vector<double> table(position.size(), 0.0);
    if (axis == ir::kLoop) {
        for (std::size_t loop = 0; loop < mesh.surface->loops.size(); ++loop) {
            for (const domain::Vertex v : mesh.surface->loops[loop]) table[at(v)] = static_cast<double>(loop + 1);
        }
        return table;
    }
    if (axis == ir::kNoiseShare) {
        std::transform(mesh.operators->mass.begin(), mesh.operators->mass.end(), table.begin(),
                       [](double area) { return 1 / std::sqrt(area); });
        return table;
    }
    if (axis >= ir::kCellX) {
        std::transform(mesh.surface->original.begin(), mesh.surface->original.end(), table.begin(), [axis](domain::Vertex v) {
            return axis == ir::kCellX ? v % ir::kVertexBlock : axis == ir::kCellY ? v / ir::kVertexBlock : 0;
        });
        return table;
    }
    const std::size_t d = at(direction(axis));
    for (std::size_t v = 0; v < position.size(); ++v) table[v] = position[v][d];
    if (axis < ir::kUnitX) {
        for (double& x : table) x *= mesh.scale;
        return table;
    }
    double first = 0, extent = 0;
    if (mesh.whole_bounds) {
        first = mesh.whole_bounds->lo[d], extent = mesh.whole_bounds->hi[d] - first;
    } else {
        const auto [low, high] = std::minmax_element(table.begin(), table.end());
        first = *low, extent = *high - *low;
    }
    for (double& x : table) x = extent > 0 ? (x - first) / extent : 0;
    return table;
}

domain::Index inside_cell(const domain::Grid& grid, int direction, domain::Index i) {
    const domain::Index n = grid.size[at(direction)];
    if (i >= 0 && i < n) return i;
    if (grid.sides[at(2 * direction)].rule == domain::Rule::periodic) {
        domain::Index wrapped = i % n;
        return wrapped < 0 ? wrapped + n : wrapped;
    }
    return i < 0 ? -1 - i : 2 * n - 1 - i;
}

}  // namespace mottle::backend
