// mottle/field/cell_kinds.h: whether numbers that come from outside can be taken as they are
#pragma once
#include <span>

namespace mottle::field {

/// What there is among some numbers.
struct CellKinds {
    bool infinite = false;   ///< or NaN
    bool subnormal = false;  ///< which f32 kernels do not hold
};
CellKinds kinds_of(std::span<const float> cells);
/// Whether one is NaN, or `bound` > 0 or more away from 0.
bool any_beyond(std::span<const double> cells, double bound);

}  // namespace mottle::field
