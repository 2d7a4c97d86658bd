// mottle/core/context.h: what a caller provides: threads, an observer and the cache folder
#pragma once
#include "mottle/core/index.h"
#include "mottle/core/thread_team.h"

#include <filesystem>
#include <string>

namespace mottle::core {

/// A moment of a run: `time` = t0 + step * dt.
struct Moment {
    Index step = 0;
    double time = 0;
};

/// Receives notices and progress of a run. The library itself prints nothing; this default ignores all and never stops a run.
class Observer {
   public:
    virtual ~Observer() = default;
    /// A fact worth knowing: a fallback, a chosen dt, a warning.
    virtual void notice(const std::string& /*message*/) {}
    /// Progress, at most every 100 ms and between launches; `rate` in cell updates per second. False stops the run cleanly.
    virtual bool keep_going(Moment /*now*/, double /*rate*/) { return true; }
};

/// Made by the caller and passed down; there are no globals.
struct Context {
    ThreadTeam& team;
    Observer& observer;
    std::filesystem::path cache;  ///< folder for compiled kernels and tuned schedules; empty: no cache
};

}  // namespace mottle::core
