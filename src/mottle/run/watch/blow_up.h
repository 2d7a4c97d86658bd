// mottle/run/watch/blow_up.h: tells equations that blow up from a time step that is too long
#pragma once
#include "mottle/stepper/stepper.h"

#include <string>
#include <vector>

namespace mottle::run {

/// The times at which runs of one model with ever shorter steps stopped being finite. Steps that are too long diverge after so many steps, whatever their
/// length, or not at all when they are short enough; a solution that blows up does so at a time of its own.
class BlowUp {
   public:
    /// The step was half of the one before, or shorter.
    void add(double dt, double time) { times_.push_back({dt, time}); }
    /// Whether the last three times agree within 5 %.
    bool converges() const;
    /// "the fields stop being finite at t = 1.02, 1.01 and 1.005 with dt 0.1, 0.05 and 0.025".
    std::string text() const;

   private:
    struct Attempt {
        double dt, time;
    };
    std::vector<Attempt> times_;
};

/// The time at which a run that ended with `outcome` stopped being finite, by the step: `anew` stands at its start, and makes its steps once more.
double time_of_divergence(stepper::Stepper& anew, const stepper::Outcome& outcome);

}  // namespace mottle::run
