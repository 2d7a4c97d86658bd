// mottle/backend/cuda/cut.h: the cost model: how many steps one pass makes, and how many rows a warp updates
#pragma once
#include "mottle/backend/cuda/device.h"
#include "mottle/backend/schedule.h"
#include "mottle/domain/grid.h"

namespace mottle::backend::cuda {

/// Schedule with every choice made.
struct Cut {
    int steps = 1;       ///< fused in one launch; 1: a launch per stage
    int chunk_rows = 1;  ///< rows that a warp updates (steps > 1)
};
/// What `schedule` leaves open is chosen for the least predicted time per step.
Cut choose_cut(const ir::Program& program, const domain::Grid& grid, const Schedule& schedule, const DeviceTraits& traits);

inline constexpr std::size_t kNumberBytes = 3072;  ///< for uniforms, of the 4 KiB that all parameters of a kernel share

}  // namespace mottle::backend::cuda
