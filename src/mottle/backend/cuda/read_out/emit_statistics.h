// mottle/backend/cuda/read_out/emit_statistics.h: the least, greatest and first bad cell of an array and exact sums over it, one partial result per warp
#pragma once
#include "mottle/backend/cuda/emit/operations.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it.
struct CellsShape {
    long long rows, length, pitch, stride;  ///< cell x of row y lies at y * pitch + x * stride
    long long parts;                        ///< pieces of a row
    long long next_row,
        next_part;  ///< the distance between two pieces of a warp, which is the number of warps of the launch, as rows and parts
};
/// The partial result of each warp of `range`; as the text declares it.
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
/// The partial result of each warp of `sums`.
struct SumPartial {
    double parts[3];
};
inline constexpr int kCellsThreads = 256, kCellsPiece = 1024;  ///< of a block; cells that a warp looks at in one go

/// Kernels range(Shape, cells, order, partials) and sums(Shape, Rule, cells, weights, partials). `order` is the index of the cell at each place, or null if
/// places are cells; `weights` are those of each place, or null if all are 1.
ModuleText emit_statistics(bool f64);
inline constexpr std::size_t kRangeKernel = 0, kSumsKernel = 1;  ///< of its kernels

}  // namespace mottle::backend::cuda
