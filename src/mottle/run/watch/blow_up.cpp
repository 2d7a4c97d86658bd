// mottle/run/watch/blow_up.cpp: compares the times at which ever shorter steps diverge
#include "mottle/run/watch/blow_up.h"

#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {
namespace {

constexpr std::size_t kCompared = 3;
constexpr double kClose = 0.05;

}  // namespace

bool BlowUp::converges() const {
    if (times_.size() < kCompared) return false;
    for (std::size_t i = times_.size() - kCompared + 1; i < times_.size(); ++i) {
        if (!(std::abs(times_[i].time - times_[i - 1].time) <= kClose * times_[i].time)) return false;
    }
    return true;
}

std::string BlowUp::text() const {
    std::vector<std::string> times, steps;
    for (std::size_t i = times_.size() - std::min(times_.size(), kCompared); i < times_.size(); ++i) {
        times.push_back(core::rounded_text(times_[i].time, 4));
        steps.push_back(core::rounded_text(times_[i].dt, 4));
    }
    return "the fields stop being finite at t = " + core::listed(times, "and") + " with dt " + core::listed(steps, "and");
}

double time_of_divergence(stepper::Stepper& anew, const stepper::Outcome& outcome) {
    stepper::Outcome here = anew.advance_to(outcome.good);
    for (core::Index step = outcome.good + 1; here.verdict == stepper::Verdict::reached && step <= outcome.at.step; ++step)
        here = anew.advance_to(step);
    return here.at.time;
}

}  // namespace mottle::run
