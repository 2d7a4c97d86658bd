// mottle/ranks/hiding.h: whether hiding halos pays: found out by trying both
#pragma once
#include "mottle/core/index.h"

#include <array>
#include <cstdint>

namespace mottle::ranks {

using core::Index;

/// Whether halos travel while the middle is computed. The rims, for which they are needed, are computed afterwards by kernels of their own, and so twice.
enum class Hiding : std::int32_t { measured, always, never };

/// Rims that are computed twice cost more than a fast network takes, and less than a slow one. Rank 0 times launches of both kinds, which make the same
/// bits, and stays with the faster; after some hundred launches it looks again.
class HidingChoice {
   public:
    HidingChoice() = default;
    /// `steps`: between two exchanges. `can_hide`: else never.
    HidingChoice(Hiding hiding, bool can_hide, int steps);

    /// Whether the next launch, of so many steps, is to hide halos. `took` is called behind it.
    bool next(Index steps);
    void took(double seconds);
    /// Whether the last launch was a trial, and others like it follow.
    bool is_trying() const { return hiding_ == Hiding::measured && tells_ && launch_ < kTrialLaunches; }

   private:
    static constexpr int kTrials = 3;  ///< of each kind, the fastest of which counts; those of the first pair warm up
    static constexpr int kTrialLaunches = 2 * kTrials + 2;
    static constexpr int kLaunches = 500;       ///< until it looks again
    static constexpr Index kFewestPasses = 4;   ///< in a launch that tells something
    static constexpr double kLeastGain = 0.99;  ///< below this part of the time, hiding is chosen

    Hiding hiding_ = Hiding::never;
    Index steps_ = 1;
    int launch_ = 0;              ///< of those that tell something
    bool hides_ = false;          ///< what was chosen
    bool tells_ = false;          ///< of the launch under way
    Index launched_ = 0;          ///< steps of it
    std::array<double, 2> best_;  ///< seconds per step, without and with hiding
};

}  // namespace mottle::ranks
