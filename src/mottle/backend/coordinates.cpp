// mottle/backend/coordinates.cpp: the tables behind ir::Op::axis
#include "mottle/backend/coordinates.h"

namespace mottle::backend {
namespace {

std::size_t at(domain::Index i) { return static_cast<std::size_t>(i); }

}  // namespace

int direction(ir::Axis axis) { return static_cast<int>(axis) % 3; }

std::vector<double> coordinate_table(const domain::Grid& grid, ir::Axis axis) {
    const int d = direction(axis);
    const domain::Index n = grid.size[at(d)];
    const double h = grid.spacing[at(d)];
    std::vector<double> table(at(n), 0.0);
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
