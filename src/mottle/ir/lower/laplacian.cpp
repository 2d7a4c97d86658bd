// mottle/ir/lower/laplacian.cpp: 5-point, 9-point and custom Laplacians; separable ones are factored into column sums
#include "mottle/ir/lower/laplacian.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <cmath>
#include <numeric>

namespace mottle::ir {
namespace {

using At = std::function<Value(int, int, int)>;

std::vector<int> active_axes(const domain::Grid& grid) {
    std::vector<int> axes;
    for (int d = 2; d >= 0; --d) {  // z, y, x: the order in which pairs are added
        if (grid.size[core::at(d)] > 1) axes.push_back(d);
    }
    return axes;
}

Value pair(Builder& b, const At& at, int axis) {
    auto value = [&](int step) { return at(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0); };
    return b.add(value(-1), value(1));
}

Value pairs(Builder& b, const At& at, const std::vector<int>& axes) {
    Value sum = pair(b, at, axes[0]);
    for (std::size_t i = 1; i < axes.size(); ++i) sum = b.add(sum, pair(b, at, axes[i]));
    return sum;
}

Value corners(Builder& b, const At& at) { return b.add(b.add(at(-1, -1, 0), at(1, -1, 0)), b.add(at(-1, 1, 0), at(1, 1, 0))); }

// (1, k, 1) x (1, k, 1): a column sum per column, shared by three neighbouring cells.
StencilGroup factored(double weight, double k) {
    return {weight, (k + 2) * (k + 2), [k](Builder& b, const At& at) {
                Value middle = b.literal(k);
                auto column = [&](int dx) { return b.fma(middle, at(dx, 0, 0), b.add(at(dx, -1, 0), at(dx, 1, 0))); };
                return b.fma(middle, column(0), b.add(column(-1), column(1)));
            }};
}

double square(double x) { return x * x; }

LaplacianShape five_point(const domain::Grid& grid, const std::vector<int>& axes) {
    auto spacing = [&](int d) { return grid.spacing[core::at(d)]; };
    bool equal = true;
    for (int d : axes) equal = equal && spacing(d) == spacing(axes[0]);
    LaplacianShape shape;
    if (equal) {
        shape.groups.push_back({1 / square(spacing(axes[0])), 2.0 * static_cast<double>(axes.size()),
                                [axes](Builder& b, const At& at) { return pairs(b, at, axes); }});
        return shape;
    }
    for (int d : axes) shape.groups.push_back({1 / square(spacing(d)), 2, [d](Builder& b, const At& at) { return pair(b, at, d); }});
    return shape;
}

bool is_single(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

LaplacianShape custom(const std::array<double, 9>& w) {
    double edge = w[1], corner = w[0];
    bool symmetric = w[3] == edge && w[5] == edge && w[7] == edge && w[2] == corner && w[6] == corner && w[8] == corner;
    LaplacianShape shape;
    double largest = 0;
    for (double weight : w) largest += std::abs(weight);
    if (symmetric && corner != 0 && is_single(edge / corner)) {
        shape.groups.push_back(factored(corner, edge / corner));
    } else if (symmetric) {
        std::vector<int> axes = {1, 0};
        if (edge != 0) shape.groups.push_back({edge, 4, [axes](Builder& b, const At& at) { return pairs(b, at, axes); }});
        if (corner != 0) shape.groups.push_back({corner, 4, [](Builder& b, const At& at) { return corners(b, at); }});
    } else {
        for (int i = 0; i < 9; ++i) {
            double weight = w[core::at(i)];
            if (i != 4 && weight != 0)
                shape.groups.push_back({weight, 1, [i](Builder&, const At& at) { return at(i % 3 - 1, i / 3 - 1, 0); }});
        }
    }
    shape.residual = std::accumulate(w.begin(), w.end(), 0.0);
    if (std::abs(shape.residual) <= 1e-12 * largest) shape.residual = 0;  // weights such as .05 and .2 do not add up exactly
    return shape;
}

}  // namespace

// A group's sum of numbers that are 1 in one place and 0 elsewhere.
std::vector<StencilTap> taps_of(const LaplacianShape& shape) {
    std::vector<StencilTap> taps;
    for (int i = 0; i < 27; ++i) {
        const std::array<int, 3> shift = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        if (shift == std::array<int, 3>{}) continue;
        double weight = 0;
        for (const StencilGroup& group : shape.groups) {
            Builder b(true);
            const Value sum = group.sum(b, [&](int dx, int dy, int dz) { return b.literal(shift == std::array{dx, dy, dz} ? 1 : 0); });
            weight += group.weight * b.code()[core::at(sum)].literal();
        }
        if (weight != 0) taps.push_back({shift, weight});
    }
    return taps;
}

LaplacianShape laplacian_shape(const domain::Grid& grid) {
    using Kind = domain::Stencil::Kind;
    std::vector<int> axes = active_axes(grid);
    if (axes.empty()) return {};
    if (grid.stencil.kind == Kind::five) return five_point(grid, axes);
    if (axes != std::vector<int>{1, 0})
        throw core::InputError("the 9-point and custom stencils need a grid with two axes; use --stencil 5");
    if (grid.stencil.kind == Kind::custom) return custom(grid.stencil.weights);
    if (grid.spacing[0] != grid.spacing[1]) {
        throw core::InputError("the 9-point stencil needs equal spacing; here it is " + core::number_text(grid.spacing[0]) + " and " +
                               core::number_text(grid.spacing[1]) + "; use --stencil 5");
    }
    return {{factored(1 / (6 * square(grid.spacing[0])), 4)}, 0};
}

}  // namespace mottle::ir
