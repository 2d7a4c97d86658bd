// mottle/run/settings/limit_share.cpp: compares the operations of a run with the limit of the machine
#include "mottle/run/settings/limit_share.h"

#include "mottle/device/machine_limits.h"

namespace mottle::run {
namespace {

constexpr double kLongRun = 2, kProbe = 0.02, kBetweenMeasurements = 60;  // seconds

}  // namespace

std::optional<double> operations_of_step(const Simulation& simulation) {
    const std::optional<int> per_cell = simulation.kernel().operations_per_cell();
    if (!per_cell) return std::nullopt;
    const auto cells = static_cast<double>(domain::cell_count(simulation.spec().domain));
    return cells * simulation.clock().stages * *per_cell * (simulation.kernel().program().f64 ? 2 : 1);
}

MachineShare::Limits MachineShare::of_machine(core::Context& context) {
    return {[&context] { return device::kept_operations(context.cache, context.team.size()); },
            [&context] { return device::keep_operations(context.team, context.cache, kProbe); }};
}

std::optional<double> MachineShare::of(double operations, double seconds_computed) {
    if (!looked_up_) limit_ = limits_.known();
    looked_up_ = true;
    // A run that passes the limit shows that something disturbed its measurement.
    const bool wanted = seconds_computed > kLongRun && (!limit_ || operations > *limit_);
    if (wanted && (!measured_at_ || seconds_since(*measured_at_) > kBetweenMeasurements)) {
        limit_ = limits_.measured();
        measured_at_ = SteadyClock::now();
    }
    if (!limit_ || operations > *limit_) return std::nullopt;
    return operations / *limit_;
}

std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context) {
    const double seconds = simulation.timings().simulate;
    const std::optional<double> per_step = operations_of_step(simulation);
    if (!(seconds > 0) || !per_step) return std::nullopt;
    const double operations = *per_step * static_cast<double>(simulation.now().step - simulation.first_step()) / seconds;
    return MachineShare(MachineShare::of_machine(context)).of(operations, seconds);
}

}  // namespace mottle::run
