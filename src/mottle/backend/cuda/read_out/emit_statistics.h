// mottle/backend/cuda/read_out/emit_statistics.h: the least, greatest and first bad cell of an array and exact sums over it, one partial result per warp
#pragma once
#include "mottle/backend/cuda/emit/operations.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it.
struct CellsShape {
    long long rows, length, pitch, stride;  ///< cell x of row y lies at y * pitch + x * stride
    long long parts;                        ///< pieces of a row
    long long next_row, next_part;          ///< what lies between two pieces of a warp: the warps of the launch, by parts
};
/// What each warp of `range` leaves; as the text declares it.
template <class Real>
struct RangePartial {
    Real low, high;
    unsigned long long bad;  ///< index of the first cell that is not finite; the greatest number: none
};
/// What `sums` adds, and how it splits a term; as the text declares it.
struct SumRule {
    double magic[3];  ///< of backend::ExactSum
    double mean;
    int squares;  ///< (x - mean)^2 instead of x
};
/// What each warp of `sums` leaves.
struct SumPartial {
    double parts[3];
};
inline constexpr int kCellsThreads = 256, kCellsPiece = 1024;  ///< of a block; cells that a warp looks at in one go

/// Kernels range(Shape, cells, order, partials) and sums(Shape, Rule, cells, weights, partials). `order`: index of the cell of each place; `weights`: of
/// each place; either may be null: as they lie, all 1.
ModuleText emit_statistics(bool f64);

}  // namespace mottle::backend::cuda
