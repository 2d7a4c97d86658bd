// mottle/backend/cuda/emit_range.h: the least and greatest cell of an array and its first bad one, one partial result per warp
#pragma once
#include "mottle/backend/cuda/emit_operations.h"

namespace mottle::backend::cuda {

/// What the kernel takes as `Shape`; as the text declares it.
struct RangeShape {
    long long rows, length, pitch;
    long long parts, warps;  ///< pieces of a row; warps of the launch
};
/// What each warp leaves; as the text declares it.
template <class Real>
struct RangePartial {
    Real low, high;
    unsigned long long bad;  ///< index of the first cell that is not finite; the greatest number: none
};
inline constexpr int kRangeThreads = 256, kRangePiece = 1024;  ///< of a block; cells that a warp looks at in one go

/// Kernel `range`(Shape, cells, partials).
ModuleText emit_range(bool f64);

}  // namespace mottle::backend::cuda
