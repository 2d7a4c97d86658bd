// mottle/run/settings/limit_share.cpp: compares the operations of a run with the limit of the machine
#include "mottle/run/settings/limit_share.h"

#include "mottle/device/machine_limits.h"

namespace mottle::run {
namespace {

constexpr double kLongRun = 2, kProbe = 0.02;  // seconds

}  // namespace

std::optional<double> operations_of_step(const Simulation& simulation) {
    const std::optional<int> per_cell = simulation.kernel().operations_per_cell();
    if (!per_cell) return std::nullopt;
    const auto cells = static_cast<double>(domain::cell_count(simulation.spec().domain));
    return cells * simulation.clock().stages * *per_cell * (simulation.kernel().program().f64 ? 2 : 1);
}

std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context) {
    const double seconds = simulation.timings().simulate;
    const std::optional<double> per_step = operations_of_step(simulation);
    if (!(seconds > 0) || !per_step) return std::nullopt;
    const double operations = *per_step * static_cast<double>(simulation.now().step - simulation.first_step()) / seconds;
    std::optional<double> limit = device::kept_operations(context.cache, context.team.size());
    // a run that passes the limit shows that something disturbed the measurement
    if ((!limit || operations > *limit) && seconds > kLongRun) limit = device::keep_operations(context.team, context.cache, kProbe);
    if (!limit || operations > *limit) return std::nullopt;
    return operations / *limit;
}

}  // namespace mottle::run
