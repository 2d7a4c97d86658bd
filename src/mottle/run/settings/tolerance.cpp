// mottle/run/settings/tolerance.cpp: the method, the moments and the bounds of steps that a tolerance chooses
#include "mottle/run/settings/tolerance.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/run/settings/bearing.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/stages.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace mottle::run {
namespace {

constexpr Index kMoments = 4096;      // of a run without a dt
constexpr double kWavesWorthIt = 8;   // times the steps of a diffusive method
constexpr double kFirstShare = 0.25;  // of the dt that follows the reaction: the start is often the fastest part

/// The length of the run in time, and the dt that counts it, 0 where nothing says one.
struct Length {
    double time, dt;
};

Length length_of(const Spec& spec) {
    if (spec.end_time) return {*spec.end_time, spec.dt.value_or(0)};
    if (spec.dt) return {*spec.dt * static_cast<double>(spec.steps), *spec.dt};
    if (spec.steps == 0) return {0, 0};
    throw core::InputError("--tolerance needs the length of the run as a time, and " + core::grouped(spec.steps) +
                           " steps have no length without a dt; give --time");
}

ir::StableStep limits_of(const Spec& spec, const ir::System& system, const std::string& method, int stages) {
    return ir::stable_step(system, {method, spec.method.f64, stages}, spec.domain);
}

void require_no_noise(const model::Model& model) {
    if (!ir::has_noise(model)) return;
    throw core::InputError(
        "--tolerance compares the run with one of longer steps, where white() gives other noise; leave out --tolerance, and compare "
        "statistics of runs with --dt and half of it");
}

}  // namespace

StepLimits limits_for_tolerance(const Spec& spec, const ir::System& system, core::ThreadTeam& team) {
    require_no_noise(spec.model);
    if (ir::scheme_of(spec.method).splits())
        throw core::InputError("--tolerance changes dt during the run, and " + spec.method.name +
                               " needs a fixed dt; use --method rkl2, or leave out --method");
    StepLimits limits;
    Spec own = spec;
    own.dt.reset();
    if (auto* mesh = std::get_if<domain::Mesh>(&own.domain); mesh && mesh->spectrum.lanczos <= 0)
        limits.spectrum = mesh->spectrum = domain::spectrum_of(*mesh->surface, *mesh->operators, team);
    if (!spec.method_given && !spec.method_chosen) {
        const double of_waves = limits_of(own, system, kMethodOfWaves, 0).limit;
        const bool waves = of_waves > kWavesWorthIt * limits_of(own, system, kMethodOfTolerance, 2).limit;
        own.method.name = limits.method = waves ? kMethodOfWaves : kMethodOfTolerance;
        limits.waves = waves;
    }
    if (ir::scheme_of(own.method).legendre()) {
        limits.stable = settle_stages(own, system);
        limits.stages = own.method.stages;
    } else {
        limits.stable = ir::stable_step(system, own.method, own.domain);
    }
    if (limits.stable.limit == 0)
        throw core::InputError("no step of " + own.method.name + " is stable: " + limits.stable.reason + "; try --method rk4");
    return limits;
}

Clock clock_for_tolerance(const Spec& spec, const ir::StableStep& stable) {
    const double least = stepper::least_tolerance(spec.method.f64);
    if (*spec.tolerance < least) {
        throw core::InputError(
            "rounding of " + std::string(spec.method.f64 ? "f64" : "f32") + " cannot reach the tolerance " +
            core::number_text(*spec.tolerance) + ": the least is " + core::rounded_text(least, 2) +
            (spec.method.f64 ? "" : "; --precision f64 goes to " + core::rounded_text(stepper::least_tolerance(true), 2)));
    }
    const Length length = length_of(spec);
    Clock clock;
    clock.by_tolerance = true;
    clock.limits = stable;
    clock.stages = ir::kernel_steps_of(spec.method);
    clock.stable_dt = stable.backwards.empty() ? std::min(kShareOfLimit * stable.limit, stable.accurate) : 0;
    if (length.dt > 0) {
        const double steps = std::max(std::floor(length.time / length.dt + 0.5), length.time > 0 ? 1.0 : 0.0);
        if (!(steps <= static_cast<double>(kMostSteps)))
            throw core::InputError("time " + core::number_text(length.time) + " is " + core::number_text(steps) + " steps of dt " +
                                   core::number_text(length.dt) + "; at most 2^53 steps can be counted");
        clock.steps = static_cast<Index>(steps);
    } else if (length.time > 0) {
        clock.steps = kMoments;
        for (const Output& output : spec.outputs) {
            while (output.times.every == 0 && output.times.frames > clock.steps) clock.steps *= 2;
        }
    }
    clock.dt = clock.steps > 0 ? length.time / static_cast<double>(clock.steps) : 1;
    if (clock.steps == 0) return clock;
    if (spec.method_chosen)
        clock.notices.push_back("method " + spec.method.name +
                                ", since the waves of this model are damped weakly or not at all (--method chooses another)");
    clock.notices.push_back("steps of " + spec.method.name + " as long as an error of " + core::rounded_text(*spec.tolerance, 4) +
                            " of the standard deviation allows; frames and tests count moments of " + core::rounded_text(clock.dt, 6) +
                            " each");
    return clock;
}

stepper::Tolerance tolerance_of(const Spec& spec, const Clock& clock) {
    stepper::Tolerance tolerance;
    tolerance.share = *spec.tolerance;
    tolerance.length = clock.dt * static_cast<double>(clock.steps);
    tolerance.order = ir::order_of(spec.method);
    tolerance.longest = kShareOfLimit * clock.limits.limit;
    tolerance.stages = [](double) { return 1; };
    if (ir::scheme_of(spec.method).legendre()) {
        const auto own = std::make_shared<const Spec>(spec);
        const auto system = std::make_shared<const ir::System>(ir::build(own->model));
        tolerance.longest = kShareOfLimit * limits_of(spec, *system, spec.method.name, ir::scheme_of(spec.method).most_stages()).limit;
        tolerance.stages = [own, system](double dt) { return stages_for(*own, *system, dt); };
    } else {
        tolerance.evaluations = ir::stages_of(spec.method);
    }
    tolerance.bears = bearing_of(spec, tolerance.stages);
    tolerance.first = kFirstShare * std::min(clock.stable_dt, tolerance.length);
    return tolerance;
}

std::unique_ptr<stepper::Integrator> integrator_of(field::Field& field, const Spec& spec, const Clock& clock, core::Context& context) {
    std::vector<double> inputs = input_values(field.kernel().program(), spec.model, spec.initial.seed);
    if (!spec.tolerance || clock.steps == 0)
        return std::make_unique<stepper::Stepper>(field, std::move(inputs), clock.dt, context, clock.stages);
    return std::make_unique<stepper::Adaptive>(field, std::move(inputs), clock.dt, tolerance_of(spec, clock), context);
}

std::string accuracy_text(const stepper::AccuracyRecord& record) {
    if (record.stretches == 0) return "no stretch was completed";
    return core::counted(record.steps, "step", "steps") + " of " + core::rounded_text(record.shortest, 4) +
           (record.longest > record.shortest ? " to " + core::rounded_text(record.longest, 4) : "") + ", " +
           core::counted(record.evaluations, "evaluation", "evaluations") + "; " +
           (record.rejected == 0 ? "none" : core::grouped(record.rejected)) + " of " +
           core::counted(record.stretches + record.rejected, "stretch", "stretches") +
           " rejected; error at the end, estimated: " + core::rounded_text(record.error, 2) + " of the standard deviation (at most " +
           core::rounded_text(record.largest, 2) + ")";
}

std::string notice_of_accuracy(const Spec& spec, const stepper::AccuracyRecord& record) {
    constexpr double kBeyond = 3;
    if (!spec.tolerance) return "";
    if (record.lost > 0)
        return "warning: the error at the end is not known: steps twice as long, which measure it, came to grow beyond all numbers " +
               core::counted(record.lost, "time", "times") +
               ", and it counts as 1 standard deviation from then on; give a smaller --tolerance";
    if (record.error > kBeyond * *spec.tolerance)
        return "warning: the error at the end is estimated at " + core::rounded_text(record.error, 2) +
               " of the standard deviation, above the tolerance " + core::number_text(*spec.tolerance) +
               ": these equations make small differences grow; give a smaller --tolerance, or compare statistics rather than cells";
    if (record.rounding <= *spec.tolerance) return "";
    return "warning: rounding in " + std::string(spec.method.f64 ? "f64" : "f32") + " comes to some " +
           core::rounded_text(record.rounding, 2) + " of the standard deviation in this run, more than the tolerance " +
           core::number_text(*spec.tolerance) + (spec.method.f64 ? "" : "; --precision f64 is more exact");
}

}  // namespace mottle::run
