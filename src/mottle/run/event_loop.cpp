// mottle/run/event_loop.cpp: advance, draw, test
#include "mottle/run/event_loop.h"

namespace mottle::run {

void run_events(const Timeline& timeline, Index after, Course& course) {
    while (const std::optional<Event> event = timeline.next(after)) {
        if (event->test) {
            if (!course.advance(*event, 1)) return;
            course.remember();
        }
        if (!course.advance(*event, 0)) return;
        after = event->step;
        if (event->draw) course.draw(*event);
        if (event->test && !course.test()) return;
        if (!course.conclude(*event)) return;
    }
}

}  // namespace mottle::run
