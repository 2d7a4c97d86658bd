// mottle/run/event_loop.h: the one loop of all runs: advances from event to event of a timeline, draws and tests
#pragma once
#include "mottle/run/timeline.h"

namespace mottle::run {

/// What a run does at the events of a timeline; for the field of one run, or for the members of a sweep.
class Course {
   public:
    virtual ~Course() = default;
    /// Advances to `before` steps before the step of `event`. False ends the run.
    virtual bool advance(const Event& event, Index before) = 0;
    /// Stores the fields one step before a test of --until.
    virtual void remember() = 0;
    virtual void draw(const Event& event) = 0;
    /// The test of --until. False ends the run.
    virtual bool test() = 0;
    /// After everything else of the event. False ends the run.
    virtual bool conclude(const Event& event) = 0;
};

/// Handles the events after step `after` in order, until the last one or until the course ends the run.
void run_events(const Timeline& timeline, Index after, Course& course);

}  // namespace mottle::run
