// mottle/benchmarks/harness/race.cpp: interleaved measuring
#include "harness/race.h"

#include "baseline/machine.h"
#include "harness/report.h"

#include <algorithm>
#include <ctime>

namespace mottle::benchmarks {
namespace {

double read_clock(Clock clock) {
    if (clock == Clock::wall) return seconds_now();
    std::timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double measure(const Entry& entry, int steps, Clock clock) {
    const double start = read_clock(clock);
    entry.advance(steps);
    return (read_clock(clock) - start) / (clock == Clock::processor ? entry.threads : 1);
}

}  // namespace

void race(std::vector<Entry>& entries, int rounds, double seconds, Clock clock) {
    std::vector<int> steps;
    for (Entry& entry : entries) {
        // Twice as many until the clock can tell; the first steps also warm caches and pages.
        int count = entry.step_unit;
        double took = measure(entry, count, clock);
        while (took < seconds / 4 && count < (1 << 24)) {
            count *= 2;
            took = measure(entry, count, clock);
        }
        if (took > 10 * seconds) entry.seconds_per_step.push_back(took / count);
        const double wanted = seconds / took * count / entry.step_unit;
        steps.push_back(entry.step_unit * std::max(1, static_cast<int>(wanted)));
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            Entry& entry = entries[i];
            const bool slow =
                steps[i] == entry.step_unit && !entry.seconds_per_step.empty() && entry.seconds_per_step.front() * steps[i] > 10 * seconds;
            if (!slow) entry.seconds_per_step.push_back(measure(entry, steps[i], clock) / steps[i]);
        }
    }
}

double seconds_per_step(const Entry& entry) { return median(entry.seconds_per_step); }

}  // namespace mottle::benchmarks
