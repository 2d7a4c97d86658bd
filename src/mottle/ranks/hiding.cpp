// mottle/ranks/hiding.cpp: whether hiding halos pays: found out by trying both
#include "mottle/ranks/hiding.h"

#include <algorithm>
#include <limits>

namespace mottle::ranks {

HidingChoice::HidingChoice(Hiding hiding, bool can_hide, int steps) : hiding_(can_hide ? hiding : Hiding::never), steps_(steps) {
    best_.fill(std::numeric_limits<double>::infinity());
}

bool HidingChoice::next(Index steps) {
    if (hiding_ != Hiding::measured) return hiding_ == Hiding::always;
    tells_ = steps >= kFewestPasses * steps_;
    launched_ = steps;
    const bool tries = launch_ < kTrialLaunches;
    return tells_ && tries ? launch_ % 2 == 1 : hides_;
}

void HidingChoice::took(double seconds) {
    if (hiding_ != Hiding::measured || !tells_) return;
    if (launch_ >= 2 && launch_ < kTrialLaunches) {
        double& best = best_[launch_ % 2 == 1 ? 1 : 0];
        best = std::min(best, seconds / static_cast<double>(launched_));
    }
    ++launch_;
    if (launch_ == kTrialLaunches) hides_ = best_[1] < kLeastGain * best_[0];
    if (launch_ < kLaunches) return;
    launch_ = 0;
    best_.fill(std::numeric_limits<double>::infinity());
}

}  // namespace mottle::ranks
