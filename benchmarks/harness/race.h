// mottle/benchmarks/harness/race.h: measures several contestants round by round, so that what else the machine does hits them alike
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace mottle::benchmarks {

struct Entry {
    std::string name;
    int threads = 1;
    int step_unit = 1;  ///< steps come in multiples of this
    std::function<void(int steps)> advance;
    std::vector<double> seconds_per_step;  ///< one per round
};

/// wall: the time that passes. processor: the time this process computes, divided by the threads of the entry: for a machine that is busy with other
/// things as well; what threads wait for each other asleep is not in it.
enum class Clock { wall, processor };

/// Each entry runs for about `seconds` in each of `rounds` rounds; one that takes longer than ten times that for its smallest step is measured once.
void race(std::vector<Entry>& entries, int rounds, double seconds, Clock clock = Clock::wall);

/// The median over the rounds.
double seconds_per_step(const Entry& entry);

}  // namespace mottle::benchmarks
