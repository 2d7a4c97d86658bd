// mottle/field/cell_kinds.h: whether numbers that come from outside can be taken as they are
#pragma once
#include <span>

namespace mottle::field {

/// What there is among some numbers.
struct CellKinds {
    bool infinite = false;   ///< or NaN
    bool subnormal = false;  ///< which f32 kernels do not hold; of doubles it is not asked
};
CellKinds kinds_of(std::span<const float> cells);
CellKinds kinds_of(std::span<const double> cells);

}  // namespace mottle::field
