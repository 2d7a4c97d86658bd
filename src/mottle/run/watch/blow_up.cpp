// mottle/run/watch/blow_up.cpp: compares the times at which ever shorter steps diverge
#include "mottle/run/watch/blow_up.h"

#include "mottle/core/text.h"
#include "mottle/run/settings/tolerance.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {
namespace {

constexpr std::size_t kCompared = 3;
constexpr double kClose = 0.05;
constexpr core::Index kMuchShorter = 32;  // times

/// The outcome of a run that ended with `outcome`, at the step at which it stopped being finite: `anew` stands at its start, and makes its steps once more.
stepper::Outcome step_of_divergence(stepper::Integrator& anew, const stepper::Outcome& outcome) {
    stepper::Outcome here = anew.advance_to(outcome.good);
    for (core::Index step = outcome.good + 1; here.verdict == stepper::Verdict::reached && step <= outcome.at.step; ++step)
        here = anew.advance_to(step);
    return here;
}

/// Whether steps that are much shorter also diverge, within a tenth of the time of `there`. They begin at three quarters of the way, where fields were still good.
bool diverges_with_much_shorter_steps(const Rerun& rerun, core::Index there) {
    const std::unique_ptr<field::Field> field = rerun.start();
    const core::Index begin = there - there / 4;
    const stepper::Verdict before = integrator_of(*field, rerun.spec, rerun.clock, rerun.context)->advance_to(begin).verdict;
    if (before != stepper::Verdict::reached) return before == stepper::Verdict::diverged;
    Clock clock = rerun.clock;
    clock.dt /= kMuchShorter;
    const std::unique_ptr<stepper::Integrator> shorter = integrator_of(*field, rerun.spec, clock, rerun.context);
    shorter->start_at(begin * kMuchShorter, 0);
    return shorter->advance_to((there + there / 10 + 1) * kMuchShorter).verdict == stepper::Verdict::diverged;
}

}  // namespace

bool BlowUp::converges() const {
    if (times_.size() < kCompared) return false;
    for (std::size_t i = times_.size() - kCompared + 1; i < times_.size(); ++i) {
        if (!(std::abs(times_[i].time - times_[i - 1].time) <= kClose * times_[i].time)) return false;
    }
    return true;
}

bool BlowUp::add(const Rerun& rerun, const stepper::Outcome& outcome) {
    const std::unique_ptr<field::Field> field = rerun.start();
    const core::Moment end = step_of_divergence(*integrator_of(*field, rerun.spec, rerun.clock, rerun.context), outcome).at;
    times_.push_back({rerun.clock.dt, end.time});
    if (!converges()) return false;
    if (diverges_with_much_shorter_steps(rerun, end.step)) return true;
    times_.clear();
    return false;
}

std::string BlowUp::text() const {
    std::vector<std::string> times, steps;
    for (std::size_t i = times_.size() - std::min(times_.size(), kCompared); i < times_.size(); ++i) {
        times.push_back(core::rounded_text(times_[i].time, 4));
        steps.push_back(core::rounded_text(times_[i].dt, 4));
    }
    return "the fields stop being finite at t = " + core::listed(times, "and") + " with dt " + core::listed(steps, "and");
}

}  // namespace mottle::run
