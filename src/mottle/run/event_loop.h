// mottle/run/event_loop.h: the one loop of all runs: advances from event to event of a timeline, draws and tests
#pragma once
#include "mottle/run/timeline.h"

namespace mottle::run {

/// What goes through the events of a timeline: the field of one run, or the members of a sweep.
class Course {
   public:
    virtual ~Course() = default;
    /// Advances to `before` steps before the step of `event`. False: it ends here.
    virtual bool advance(const Event& event, Index before) = 0;
    /// Keeps the fields as they are, one step before a test of --until.
    virtual void remember() = 0;
    virtual void draw(const Event& event) = 0;
    /// The test of --until. False: it has come to rest and ends here.
    virtual bool test() = 0;
    /// All of the event is done. False: it ends here.
    virtual bool conclude(const Event& event) = 0;
};

/// From the first event after step `after` to the last one, or to where the course ends before.
void run_events(const Timeline& timeline, Index after, Course& course);

}  // namespace mottle::run
