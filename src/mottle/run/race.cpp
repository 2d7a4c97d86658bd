// mottle/run/race.cpp: lengths of launches, and medians
#include "mottle/run/race.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <limits>

namespace mottle::run {

namespace {

/// Seconds inside the kernel, or less than 0 if the observer stopped it.
double advance(Simulation& simulation, Index steps) {
    const double before = simulation.timings().simulate;
    const stepper::Outcome outcome = simulation.advance_to(simulation.now().step + steps);
    if (outcome.verdict == stepper::Verdict::stopped) return -1;
    if (outcome.verdict == stepper::Verdict::diverged) {
        throw core::InputError("the run to be timed diverged: " + outcome.why + "; " + advice_on_divergence(simulation.clock()));
    }
    return simulation.timings().simulate - before;
}

}  // namespace

bool Race::enter(Simulation& simulation) {
    const Index fused = std::max(1, simulation.kernel().schedule().steps);
    Index steps = fused;
    double seconds = advance(simulation, steps);
    while (seconds >= 0 && seconds < seconds_ / 4) {
        steps *= 4;
        seconds = advance(simulation, steps);
    }
    if (seconds < 0) return false;
    const double wanted = static_cast<double>(steps) * seconds_ / seconds;
    runners_.push_back({&simulation, std::max<Index>(1, static_cast<Index>(wanted) / fused) * fused, {}});
    return true;
}

bool Race::launch(std::size_t runner) {
    Runner& r = runners_[runner];
    const double seconds = advance(*r.simulation, r.steps);
    if (seconds < 0) return false;
    r.seconds_per_step.push_back(seconds / static_cast<double>(r.steps));
    return true;
}

double Race::median(std::size_t runner, std::size_t first) const {
    const std::vector<double>& all = runners_[runner].seconds_per_step;
    if (first >= all.size()) return std::numeric_limits<double>::infinity();
    std::vector<double> sorted(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace mottle::run
