// mottle/live/server/machine_share.cpp: looks the limit up once, and measures it seldom
#include "mottle/live/server/machine_share.h"

#include "mottle/device/machine_limits.h"

namespace mottle::live {

namespace {

constexpr double kLongRun = 2, kProbe = 0.02;  // seconds
constexpr double kBetweenMeasurements = 60;    // seconds

}  // namespace

MachineShare::Limits MachineShare::of_machine(core::Context& context) {
    return {[&context] { return device::kept_operations(context.cache, context.team.size()); },
            [&context] { return device::keep_operations(context.team, context.cache, kProbe); }};
}

std::optional<double> MachineShare::of(double operations, double seconds_computed) {
    if (!looked_up_) limit_ = limits_.known();
    looked_up_ = true;
    // A run that passes the limit shows that something disturbed its measurement.
    const bool wanted = seconds_computed > kLongRun && (!limit_ || operations > *limit_);
    if (wanted && (!measured_at_ || run::seconds_since(*measured_at_) > kBetweenMeasurements)) {
        limit_ = limits_.measured();
        measured_at_ = run::SteadyClock::now();
    }
    if (!limit_ || operations > *limit_) return std::nullopt;
    return operations / *limit_;
}

}  // namespace mottle::live
