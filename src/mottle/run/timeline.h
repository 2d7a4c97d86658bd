// mottle/run/timeline.h: the events of a run as one merged, generated sequence
#pragma once
#include "mottle/run/spec.h"

#include <optional>
#include <vector>

namespace mottle::run {

struct Event {
    Index step = 0;
    bool draw = false;
    bool test = false;  ///< check --until
    bool end = false;
};

class Timeline {
   public:
    /// Throws: InputError (more frames than steps, `at` not strictly increasing).
    Timeline(const FrameTimes& times, Index steps, bool draws, bool tests);
    Index steps() const { return steps_; }
    /// The first event at or after `step`; nothing when the run is over.
    std::optional<Event> next(Index after) const;

   private:
    FrameTimes times_;
    Index steps_;
    bool draws_, tests_;
    std::vector<Index> at_;
};

}  // namespace mottle::run
