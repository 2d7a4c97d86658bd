// mottle/benchmarks/baseline/row_kernel.h: what row kernels take; plain data, since it crosses into code built for other CPUs
#pragma once
#include <cstdint>

namespace mottle::benchmarks {

struct Constants;

constexpr int kMaxRows = 4;
constexpr int kMaxLanes = 16;

/// Updates `rows` rows in place, one row up: in[i] takes the new values of the row that in[i + 1] holds, i = 0 .. rows - 1.
/// A row is u, then `field` floats further v; each `columns` vectors, one ghost vector before and one after. Vector j holds cells j, j + columns, ...
struct RowCall {
    float* in[kMaxRows + 2];
    std::int64_t columns, field;
    const Constants* constants;
    const char* prefetch;        ///< null: none; else fetched into L2, one line per column
    std::int64_t prefetch_step;  ///< bytes from column to column
    /// Lanes whose segment overlaps the one before (after) by a cell, all bits set; only read if `overlaps`.
    const std::uint32_t* overlap_left;
    const std::uint32_t* overlap_right;
    bool overlaps;
};
using RowKernel = void (*)(const RowCall&);

/// For 1 .. kMaxRows rows.
RowKernel row_kernel_avx512(int rows);
RowKernel row_kernel_avx2(int rows);

/// Rows of one field for the plain loop; one ghost cell before and after.
struct FieldRows {
    const float *above, *here, *below;
    float* next;
};
using OnePassRow = void (*)(const FieldRows& u, const FieldRows& v, int width, const Constants& constants);
OnePassRow one_pass_row_avx512();
OnePassRow one_pass_row_avx2();

}  // namespace mottle::benchmarks
