// mottle/field/cell_kinds.h: whether numbers that come from outside can be taken as they are
#pragma once
#include <cmath>
#include <span>

namespace mottle::field {

/// What there is among some numbers.
struct CellKinds {
    bool infinite = false;   ///< or NaN
    bool subnormal = false;  ///< which f32 kernels do not hold
};
CellKinds kinds_of(std::span<const float> cells);
/// The smallest magnitude that a precision cannot hold: infinity in f64, and in f32 the smallest number that is rounded to infinity.
constexpr double bound_of(bool f64) { return f64 ? HUGE_VAL : 0x1.ffffffp127; }
/// Whether one is NaN, or `bound` > 0 or more away from 0.
bool any_beyond(std::span<const double> cells, double bound);

}  // namespace mottle::field
