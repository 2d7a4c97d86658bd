// mottle/run/tune/race.cpp: lengths of launches, and medians
#include "mottle/run/tune/race.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/run/watch/timings.h"

#include <algorithm>
#include <limits>

namespace mottle::run {

namespace {

constexpr double kMostToSettle = 16;  // launches of the wanted length until a kernel has settled on a way of making them

/// Seconds inside the kernel, until all ranks have made the steps, or less than 0 if the observer stopped it.
double advance(Simulation& simulation, Index steps) {
    const double before = simulation.timings().simulate;
    const stepper::Outcome outcome = simulation.advance_to(simulation.now().step + steps);
    if (outcome.verdict == stepper::Verdict::stopped) return -1;
    if (outcome.verdict == stepper::Verdict::diverged) {
        throw core::InputError("the run to be timed diverged: " + outcome.why + "; " + advice_on_divergence(simulation.clock()));
    }
    const double seconds = simulation.timings().simulate - before;
    const auto reached = SteadyClock::now();
    simulation.kernel().settle();
    return seconds + seconds_since(reached);
}

/// The median of `values`, of which there is one at least.
double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

bool Race::enter(Simulation& simulation) {
    const backend::Schedule& schedule = simulation.kernel().schedule();
    const Index fused = std::max(1, backend::spread_of(schedule).halo.value_or(backend::steps_of(schedule).value_or(1)));
    Index steps = fused;
    double seconds = advance(simulation, steps);
    while (seconds >= 0 && seconds < seconds_ / 4) {
        steps *= 4;
        seconds = advance(simulation, steps);
    }
    if (seconds < 0) return false;
    const double wanted = static_cast<double>(steps) * seconds_ / seconds;
    steps = std::max<Index>(1, static_cast<Index>(wanted) / fused) * fused;
    for (double spent = 0; spent < kMostToSettle * seconds_ && !simulation.kernel().settle(); spent += seconds) {
        seconds = advance(simulation, steps);
        if (seconds < 0) return false;
    }
    runners_.push_back({&simulation, steps, {}});
    return true;
}

bool Race::launch(std::size_t runner) {
    Runner& r = runners_[runner];
    const double seconds = advance(*r.simulation, r.steps);
    if (seconds < 0) return false;
    r.seconds_per_step.push_back(seconds / static_cast<double>(r.steps));
    return true;
}

double Race::median(std::size_t runner) const {
    const std::vector<double>& all = runners_[runner].seconds_per_step;
    return all.empty() ? std::numeric_limits<double>::infinity() : middle(all);
}

Pairs pairs_of(std::span<const double> first, std::span<const double> second) {
    Pairs pairs;
    pairs.rounds = std::min(first.size(), second.size());
    if (pairs.rounds == 0) return pairs;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < pairs.rounds; ++i) {
        ratios.push_back(first[i] / second[i]);
        if (second[i] < first[i]) ++pairs.won;
    }
    pairs.gain = middle(std::move(ratios)) - 1;
    return pairs;
}

}  // namespace mottle::run
