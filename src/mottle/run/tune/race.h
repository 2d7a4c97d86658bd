// mottle/run/tune/race.h: simulations timed in turn, by the medians of short launches
#pragma once
#include "mottle/run/simulation.h"

#include <cstddef>
#include <span>
#include <vector>

namespace mottle::run {

/// What two runners that were launched in turn say of each other.
struct Pairs {
    double gain = 0;                  ///< the median of first over second, less 1
    std::size_t won = 0, rounds = 0;  ///< pairs in which the second took less time
    /// A few disturbed launches move medians of their own; they do not move most of the pairs.
    bool gains(double least) const { return 2 * won > rounds && gain > least; }
};
/// Of as many pairs as both have.
Pairs pairs_of(std::span<const double> first, std::span<const double> second);

/// Whatever disturbs the machine for a while disturbs all runners alike. Simulations are held by their owner.
class Race {
   public:
    /// `seconds`: of one launch, about; a launch is a multiple of the steps that its runner fuses.
    explicit Race(double seconds) : seconds_(seconds) {}

    /// The next runner. Advances it, uncounted, until the length of its launches is known. False if the observer stopped it.
    /// Throws: InputError if it diverges.
    bool enter(Simulation& simulation);
    /// One launch of a runner; else as enter.
    bool launch(std::size_t runner);

    std::size_t size() const { return runners_.size(); }
    /// Wall seconds of a step inside Kernel::advance, the median of the launches; infinity before the first of them.
    double median(std::size_t runner) const;
    /// Seconds of a step of every launch.
    const std::vector<double>& seconds(std::size_t runner) const { return runners_[runner].seconds_per_step; }
    std::size_t launches(std::size_t runner) const { return runners_[runner].seconds_per_step.size(); }

   private:
    struct Runner {
        Simulation* simulation;
        Index steps;  ///< of a launch
        std::vector<double> seconds_per_step;
    };

    double seconds_;
    std::vector<Runner> runners_;
};

}  // namespace mottle::run
