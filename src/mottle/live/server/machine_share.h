// mottle/live/server/machine_share.h: how much of the machine's arithmetic a live run uses, asked ten times a second
#pragma once
#include "mottle/run/simulation.h"

#include <functional>
#include <optional>

namespace mottle::live {

/// Keeps the limit, which takes 20 ms to measure, and a file to look up: measuring it for every status would cost the run a fifth of its time.
class MachineShare {
   public:
    /// Operations per second of all threads: what is known already, and what a measurement finds.
    struct Limits {
        std::function<std::optional<double>()> known;
        std::function<double()> measured;
    };
    static Limits of_machine(core::Context& context);

    explicit MachineShare(Limits limits) : limits_(std::move(limits)) {}
    /// `operations` per second over the limit; nothing while that is not known: it is measured when the run has computed for two seconds.
    std::optional<double> of(double operations, double seconds_computed);

   private:
    Limits limits_;
    std::optional<double> limit_;
    bool looked_up_ = false;
    std::optional<run::SteadyClock::time_point> measured_at_;
};

}  // namespace mottle::live
