// mottle/run/watch/timings.h: where the time of a run goes
#pragma once
#include "mottle/core/stopwatch.h"

namespace mottle::run {

/// Wall seconds. `look` is how long the fields were looked at for steps that are too long; `encode` runs beside the rest in the sinks' own threads; `total` is from the constructor to the end of run_to_end.
struct Timings {
    double compile = 0, initial = 0, simulate = 0, look = 0, draw = 0, encode = 0, total = 0;
};

using core::seconds_since;
using core::SteadyClock;
using core::Stopwatch;

}  // namespace mottle::run
