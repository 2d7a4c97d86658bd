// mottle/ir/lower/laplacian.h: the Laplacian of a grid as groups of neighbours with equal weights
#pragma once
#include "mottle/ir/program/builder.h"

#include <functional>
#include <vector>

namespace mottle::ir {

/// One group: weight * (sum - count * centre).
struct StencilGroup {
    double weight = 0;  ///< includes 1/h^2
    double count = 0;   ///< the sum's weights added up, so a constant field gives 0; 0: the sum is one of differences to the centre already
    /// Lowers the sum; `at(dx, dy, dz)` gives the field's value there. The order keeps mirror symmetry.
    std::function<Value(Builder&, const std::function<Value(int, int, int)>& at)> sum;
};

/// lap(f) = sum of groups + residual * f. The residual is 0 for every consistent Laplacian; custom weights may have one.
struct LaplacianShape {
    std::vector<StencilGroup> groups;
    double residual = 0;
};

/// What lap(f) multiplies the cell (dx, dy, dz) away by, for another cell than f's own.
struct StencilTap {
    std::array<int, 3> shift;
    double weight;
};
/// The taps of `shape` whose weight is not 0. With the residual they are all of it: lap(f) = sum of weight (neighbour - f) + residual f.
std::vector<StencilTap> taps_of(const LaplacianShape& shape);

/// Axes of size 1 take no part. Throws: InputError (a stencil that this grid cannot have).
LaplacianShape laplacian_shape(const domain::Grid& grid);

}  // namespace mottle::ir
