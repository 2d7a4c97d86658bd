// mottle/backend/cpu/plane/band_shape.h: what a band is made of: its rows, and what it shares with the other bands of the grid
#pragma once
#include "mottle/core/index.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <cstddef>
#include <vector>

namespace mottle::backend::cpu {

using core::Index;

struct BandShape {
    Index first = 0, rows = 0;  ///< of the grid, before the first step
    Index height = 0;           ///< rows of the grid
    int strip = 0;              ///< of each row
    bool seam = false;          ///< some array does not wrap from the last row of the grid to the first
    bool halo_above = false;    ///< the grid's first row is at a halo, where a step leaves rows wrong that need not be computed
    bool halo_below = false;    ///< so is its last
    int most_steps = 1;         ///< fused in one pass
    int block = 1;              ///< rows one call updates
};

/// Coordinate tables a band reads: x tables are lane-transposed rows; y and z tables hold one number per row.
struct AxisTables {
    std::array<const std::byte*, ir::kGridAxes> table{};  ///< by ir::Axis; y tables start one row above the grid
    bool mirrored = false;  ///< the rows that a border row sees beyond it have mirrored coordinates, though other arrays wrap
};

/// The rows of the maps, by group: of the whole grid, and shared by its bands. Null where a group is none.
using MapRows = std::vector<std::byte*>;

}  // namespace mottle::backend::cpu
