// mottle/run/settings/limit_share.h: how much of the arithmetic that this machine can do at most a run does
#pragma once
#include "mottle/run/simulation.h"

#include <functional>
#include <optional>

namespace mottle::run {

/// f32 operations of a step on all cells, one in f64 counted twice; nothing for surfaces and other devices than the CPU.
std::optional<double> operations_of_step(const Simulation& simulation);

/// Compares rates of operations with the most that the machine can do. It may be asked ten times a second: the limit takes 20 ms to measure, and a file to look
/// up, so it is looked up once, kept, and measured once a minute at most.
class MachineShare {
   public:
    /// Operations per second of all threads: what is known already, and what a measurement finds.
    struct Limits {
        std::function<std::optional<double>()> known;
        std::function<double()> measured;
    };
    /// The limit is that of `limits.txt` in the cache folder. Keeps a reference to `context`.
    static Limits of_machine(core::Context& context);

    explicit MachineShare(Limits limits) : limits_(std::move(limits)) {}
    /// `operations` per second over the limit; nothing while that is not known: it is measured when the run has computed for two seconds.
    std::optional<double> of(double operations, double seconds_computed);

   private:
    Limits limits_;
    std::optional<double> limit_;
    bool looked_up_ = false;
    std::optional<SteadyClock::time_point> measured_at_;
};

/// The run's operations per second over the multiply-adds and sums that the threads of `context` can do (f64: half as many), as MachineShare finds it;
/// nothing for surfaces and other devices than the CPU.
std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context);

}  // namespace mottle::run
