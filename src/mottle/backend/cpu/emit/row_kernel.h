// mottle/backend/cpu/emit/row_kernel.h: how compiled row kernels are called
#pragma once
#include <cstddef>
#include <cstdint>

namespace mottle::backend::cpu {

/// The one argument of every compiled function. Rows are lane-transposed: vector j holds cell j of each lane's segment (row_layout.h).
/// A row pointer points at vector 0 of the first array of a row slot; array i of the slot stands i * array_pitch bytes further.
struct RowArguments {
    const void* const* lists;  ///< of a plane: for each input, then each output of StagePlan, where the pointers to its rows stand in order
    void* const* rows;         ///< of a volume: all of these pointers; for a border function {destination, source}
    const void* numbers;       ///< uniforms, then constants, in the precision of the Program
    const void* ghost_numbers;  ///< the numbers of the next step, for the ghosts of states, which the next step reads
    std::int64_t row_bytes;     ///< vectors of a row, in bytes
    std::int64_t array_pitch;
    const void* const* axes;     ///< StagePlan::axes; x tables: a row; y, z tables: the entry of the block's first row
    const char* prefetch;        ///< a line to prefetch in the first column ...
    std::int64_t prefetch_step;  ///< ... and so many bytes further in each next column
    const void* left_overlap;    ///< lanes (words, all ones) whose segment overlaps that of the lane before by one cell
    const void* right_overlap;   ///< lanes whose next segment overlaps theirs
    void (*fma)();               ///< std::fma of the precision; used where the instruction set has none
    void (*floor)();
    // in a volume:
    /// For each input: bytes from a row to row y - 1 of its plane, to row y + 1, and to the row that is made, if the input is an output, too. The last are
    /// counted from the row of the plane before it where states shift, else from the row itself.
    const std::int64_t* beside;
    std::int64_t first, end;  ///< the vectors to update, in bytes; a row is updated in pieces from left to right
    std::byte* edge;    ///< for each pointer of `rows`, array and vector: the values before `first`, which may have been overwritten since
    const char* ahead;  ///< a second line to prefetch in the first column ...
    std::int64_t ahead_step;  ///< ... and so many bytes further in each next column
};
using RowFunction = void (*)(const RowArguments*);

}  // namespace mottle::backend::cpu
