// mottle/run/watch/blow_up.h: tells equations that blow up from a time step that is too long
#pragma once
#include "mottle/run/settings/clock.h"
#include "mottle/stepper/stepper.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mottle::run {

/// What makes a run once more, to see how it ends.
struct Rerun {
    std::function<std::unique_ptr<field::Field>()> start;
    const Spec& spec;
    const Clock& clock;
    core::Context& context;
};

/// The times at which runs of one model with ever shorter steps stopped being finite. Steps that are too long diverge after so many steps, whatever their
/// length, or not at all when they are short enough; a solution that blows up does so at a time of its own. A spike that grows as fast, and then stops at
/// a height that only much shorter steps can follow, looks alike: so the last quarter of the way is made once more, with such steps.
class BlowUp {
   public:
    /// A run with the dt of its clock, at most half of that of the time before, ended with `outcome`. Whether the equations blow up: the last three times agree within
    /// 5 %, and 32 times shorter steps do not come much further.
    bool add(const Rerun& rerun, const stepper::Outcome& outcome);
    /// "the fields stop being finite at t = 1.02, 1.01 and 1.005 with dt 0.1, 0.05 and 0.025".
    std::string text() const;

   private:
    struct Attempt {
        double dt, time;
    };
    bool converges() const;
    std::vector<Attempt> times_;
};

}  // namespace mottle::run
