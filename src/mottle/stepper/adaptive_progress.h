// mottle/stepper/adaptive_progress.h: what steps by a tolerance go on from, beside the fields
#pragma once
#include "mottle/core/index.h"

#include <optional>
#include <span>
#include <vector>

namespace mottle::stepper {

using core::Index;

/// What the steps have come to.
struct AccuracyRecord {
    Index steps = 0;                    ///< of the stretches that count
    Index evaluations = 0;              ///< of the rates, those of comparisons, rejected stretches and frames too
    Index stretches = 0, rejected = 0;  ///< rejected: as often as steps were too long
    double error = 0, largest = 0;  ///< at the end of the last stretch, estimated, as a share of the standard deviation; the largest so far
    Index lost = 0;  ///< how often the companion ran away, where the fields did not; the error counts as all of the deviation from then on
    double rounding = 0;               ///< what the rounding of the steps comes to, as a share of the standard deviation
    double shortest = 0, longest = 0;  ///< dt
};

/// Where a run stands whose steps follow a tolerance.
struct AdaptiveProgress {
    double share = 0, length = 0;  ///< of its Tolerance: another run does not go on from here
    double at = 0;                 ///< the time at which the stretch begins
    int rung = 0, next = 0;        ///< of this stretch and of the one after it
    Index walked = 0;              ///< steps of the stretch that the kept fields have made
    bool made = false;             ///< the stretch has passed
    bool failed = false;           ///< it was made anew
    AccuracyRecord record;         ///< but for `rounding`, which follows from its squares
    double rounding_squares = 0;
    std::vector<double> peaks;  ///< of each field
};

/// The same as numbers, all of them finite, and from them; nothing where they do not stand for such a progress.
std::vector<double> numbers_of(const AdaptiveProgress& progress);
std::optional<AdaptiveProgress> progress_of(std::span<const double> numbers);

}  // namespace mottle::stepper
