// mottle/backend/cuda/grid/cut.h: the cost model: how many steps one pass makes, and how many rows or planes a warp or block updates
#pragma once
#include "mottle/backend/cuda/device/device.h"
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/cuda/emit/persistent.h"
#include "mottle/backend/cuda/emit/tile.h"
#include "mottle/backend/cuda/emit/whole.h"
#include "mottle/backend/schedule.h"
#include "mottle/domain/grid.h"

namespace mottle::backend::cuda {

/// What the cost models expect of a card, as measured on an H200.
inline constexpr double kBandwidth = 30e9;  ///< bytes per second and multiprocessor
inline constexpr double kCache = 45e9;      ///< the same from the second-level cache
inline constexpr double kLaunch = 2e-6;     ///< seconds, within a graph

/// Schedule with every choice made.
struct Cut {
    bool fused = false;             ///< steps share a pass, as do the stages of a single one; else a launch per stage
    int steps = 1;                  ///< of a pass
    int chunk = 1;                  ///< rows that a warp updates, planes that a block updates in a volume (of a pass)
    PlaneTile tile = {};            ///< that a block updates in a plane; of no rows: warps march down strips
    double seconds = 0;             ///< predicted, of a step
    PersistentCut persistent = {};  ///< of a kernel that makes all steps of a launch, in place of passes where it pays; of no warps: none
    double persistent_seconds = 0;  ///< predicted, of a step
    bool asked_to_stay = false;     ///< the schedule asks for the persistent kernel, whatever it takes
    /// The least that a step is predicted to take, where many follow each other.
    double best_seconds() const { return persistent.tile.warps > 0 ? persistent_seconds : seconds; }
};
/// Why neither two steps of a Program nor the stages of one share a pass over the grid; "": they can.
std::string fusing_obstacle(const StepPlan& plan, const domain::Grid& grid);
/// What `schedule` leaves open is chosen for the least predicted time per step.
Cut choose_cut(const StepPlan& plan, const domain::Grid& grid, const Schedule& schedule, const DeviceTraits& traits);

/// Predicted seconds of a step of `members` planes, each in a block of its own.
double whole_seconds(const StepPlan& plan, const WholePlane& plane, Index members, const DeviceTraits& traits);

/// The kernels of a pass of `steps` steps, at most cut.steps, over a plane or a volume; the last step is flush_step if `flush`.
ModuleText emit_pass(const StepPlan& plan, const domain::Grid& grid, const Cut& cut, int steps, bool flush);

}  // namespace mottle::backend::cuda
