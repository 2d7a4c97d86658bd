// mottle/run/settings/limit_share.cpp: compares the operations of a run with the limit of the machine
#include "mottle/run/settings/limit_share.h"

#include "mottle/device/machine_limits.h"

namespace mottle::run {
namespace {

constexpr double kLongRun = 2, kProbe = 0.02;  // seconds

}  // namespace

std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context) {
    const double seconds = simulation.timings().simulate;
    const domain::Domain& domain = simulation.spec().domain;
    const std::optional<int> per_cell = simulation.kernel().operations_per_cell();
    if (!(seconds > 0) || !per_cell) return std::nullopt;
    const double updates =
        static_cast<double>(domain::cell_count(domain)) * static_cast<double>(simulation.now().step - simulation.first_step());
    const double operations = updates * simulation.clock().stages * *per_cell * (simulation.kernel().program().f64 ? 2 : 1) / seconds;
    std::optional<double> limit = device::kept_operations(context.cache, context.team.size());
    // a run that passes the limit shows that something disturbed the measurement
    if ((!limit || operations > *limit) && seconds > kLongRun) limit = device::keep_operations(context.team, context.cache, kProbe);
    if (!limit || operations > *limit) return std::nullopt;
    return operations / *limit;
}

}  // namespace mottle::run
