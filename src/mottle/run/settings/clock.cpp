// mottle/run/settings/clock.cpp: chooses dt from the explicit limit, and counts steps
#include "mottle/run/settings/clock.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/start_rates.h"
#include "mottle/run/settings/tolerance.h"
#include "mottle/stepper/stepper.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace mottle::run {

namespace {

constexpr double kWorthIt = 8;                    // times Euler's steps: those of the method of waves take four times as long
constexpr double kSecondsPerVertexStep = 1.5e-9;  // and stage: two fields, two threads, AVX-512: docs/notes/meshes.md

double scientific(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 3);
    double rounded = 0;
    if (error != std::errc() || !core::parse_number({text, end}, rounded))
        throw core::InternalError("a number cannot be written in 32 characters");
    return rounded;
}

/// Four digits, rounded down: short to read, and the same whatever the last bits of the limit are.
double short_number(double value) {
    if (!std::isfinite(value)) return value;
    const double rounded = scientific(value);
    return rounded <= value ? rounded : scientific(value * (1 - 5e-4));
}

/// Explicit steps on slivers can take days: better to say so before.
void refuse_endless(const Spec& spec, const Clock& clock) {
    const auto* mesh = std::get_if<domain::Mesh>(&spec.domain);
    if (!mesh || clock.steps <= kMostMeshSteps || spec.lengths_of_file) return;  // of lengths notice_of_lengths speaks
    const double seconds = seconds_of(spec, clock);
    const std::string duration =
        seconds < 3600 ? core::number_text(std::ceil(seconds / 60)) + " minutes" : core::number_text(std::ceil(seconds / 3600)) + " hours";
    const auto worst = core::at(mesh->spectrum.worst);
    const domain::Point& p = mesh->surface->position[worst];
    throw core::InputError("the run needs " + core::grouped(clock.steps) + " steps of dt " + core::rounded_text(clock.dt, 4) + ", about " +
                           duration + ": the triangles at vertex " + std::to_string(mesh->surface->original[worst]) + " of " +
                           mesh->surface->name + " (" + core::number_text(p[0]) + ", " + core::number_text(p[1]) + ", " +
                           core::number_text(p[2]) +
                           ") are so thin or small that longer steps diverge; remesh there, give a shorter --time, or use --force");
}

/// What time / dt comes to when dt may be shorter, and `dt` as long as that allows: steps * dt is `time` itself, if a double can say it.
double divide(double time, double& dt) {
    constexpr double kLastBits = 1e-12;  // of the quotient: they cost no step
    const double steps = std::ceil(time / dt * (1 - kLastBits));
    if (!(steps > 0) || steps > static_cast<double>(kMostSteps)) return steps;
    dt = time / steps;
    for (const double near : {std::nextafter(dt, 0.0), std::nextafter(dt, time)}) {
        if (dt * steps != time && near * steps == time) dt = near;
    }
    return steps;
}

/// Four digits, and the fraction that it is.
std::string chosen_text(const Clock& clock, const std::optional<double>& time) {
    if (!time || scientific(clock.dt) == clock.dt) return core::number_text(clock.dt);
    return core::number_text(scientific(clock.dt)) + " (" + core::number_text(*time) + "/" + std::to_string(clock.steps) + ")";
}

std::string above_drift(const Clock& clock) {
    if (clock.limits.drift_limit == 0) return clock.limits.reason;
    return "dt is " + core::number_text(clock.dt) + ", above " + core::number_text(short_number(clock.limits.drift_limit)) +
           ", the limit of explicit drift (" + clock.limits.reason + ")";
}

/// The share of the explicit limit that an automatic dt takes. With stages and implicit parts the stiffest waves have too little variance, not too much, and a shorter dt is left to the user.
double share_of_limit(const Spec& spec) {
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    return ir::has_noise(spec.model) && !scheme.legendre() && !scheme.splits() ? kShareWithNoise : kShareOfLimit;
}

/// How a method with any number of stages came to its dt.
std::string text_of_stages(const Spec& spec, const Clock& clock, const std::optional<double>& time) {
    const ir::StableStep& limits = clock.limits;
    const std::string stages = core::counted(clock.stages, "stage", "stages");
    std::string text = spec.method.name + ", " + stages + ", dt " + chosen_text(clock, time);
    const double most = ir::StabilityPolynomial(spec.method).longest_step(1), one = kShareOfLimit * 2 / most * limits.limit;
    const double gain = clock.dt / one / clock.stages;
    text += ", " + core::rounded_text(clock.dt / one, 3) + " times that of Euler's method, " +
            (gain > 1 ? "in " + core::rounded_text(100 / gain, 2) + " % of its evaluations" : "which needs no more evaluations");
    const bool bounded = spec.stages == 0 && clock.dt <= limits.accurate && clock.dt < kShareOfLimit * limits.limit;
    return text + (bounded ? "; --dt chooses another" : "") + " (" + limits.reason + ")";
}

}  // namespace

double seconds_of(const Spec& spec, const Clock& clock) {
    const auto stages = static_cast<double>(ir::stages_of(spec.method));
    return kSecondsPerVertexStep * static_cast<double>(domain::cell_count(spec.domain)) * static_cast<double>(clock.steps) * stages *
           static_cast<double>(spec.model.equations.size()) / 2;
}

bool halve(Clock& clock) {
    if (clock.halvings == kMostHalvings || clock.steps > kMostSteps / 2) return false;
    clock.dt /= 2;
    clock.steps *= 2;
    ++clock.halvings;
    return true;
}

bool asks_for_lanczos(const Spec& spec, const ir::StableStep& stable) {
    const auto* mesh = std::get_if<domain::Mesh>(&spec.domain);
    if (ir::scheme_of(spec.method).splits()) return false;  // stiffness does not limit dt
    return mesh && mesh->spectrum.lanczos <= 0 && !(spec.dt && *spec.dt <= short_number(kShareOfLimit * stable.limit));
}

namespace {

/// What an automatic dt with any number of stages must not exceed where no range bounds the reaction: a step that follows the fastest rate of the start. Stages make the longest
/// step stable beside diffusion alone, and within such a step a reaction would go anywhere. Infinity where nothing is left out, or nothing happens at the start.
double longest_beside_unknown(const Spec& spec, const ir::StableStep& stable) {
    const bool given = spec.dt && !spec.dt_is_advice;
    if (given || stable.unknown.empty()) return ir::kInfinity;
    const std::optional<ir::CellRates> rates = rates_of_start(spec, spec.domain, 0);
    return rates && rates->fastest > 0 ? kStepOfRate / rates->fastest : ir::kInfinity;
}

/// Of a method that takes any number of stages, which are chosen for the stiffness itself.
StepLimits limits_of_stages(const Spec& spec, const ir::System& system, core::ThreadTeam& team) {
    StepLimits limits;
    Spec own = spec;
    if (auto* mesh = std::get_if<domain::Mesh>(&own.domain); mesh && mesh->spectrum.lanczos <= 0)
        limits.spectrum = mesh->spectrum = domain::spectrum_of(*mesh->surface, *mesh->operators, team);
    limits.stable = settle_stages(own, system);
    const double longest = longest_beside_unknown(own, limits.stable);
    if (longest < std::min(limits.stable.accurate, kShareOfLimit * limits.stable.limit)) {
        own.longest_dt = limits.longest_dt = longest;
        limits.stable = settle_stages(own, system);
        limits.stable.reason = "for the state of the start; " + limits.stable.reason;
    }
    limits.stages = own.method.stages;
    return limits;
}

}  // namespace

namespace {

/// Of Euler's method, or that of waves, or another one that is given.
StepLimits limits_of_table(const Spec& spec, const ir::System& system, core::ThreadTeam& team) {
    StepLimits limits;
    limits.stable = ir::stable_step(system, spec.method, spec.domain);
    ir::Method method = spec.method;
    if (!spec.dt && !spec.method_given && std::isfinite(limits.stable.limit)) {
        ir::Method of_waves = spec.method;
        of_waves.name = kMethodOfWaves;
        const ir::StableStep longer = ir::stable_step(system, of_waves, spec.domain);
        if (longer.limit > kWorthIt * limits.stable.limit) {
            limits.method = kMethodOfWaves;
            limits.waves = true;
            limits.stable = longer;
            method = of_waves;
        }
    }
    if (!asks_for_lanczos(spec, limits.stable)) return limits;
    domain::Mesh mesh = std::get<domain::Mesh>(spec.domain);
    limits.spectrum = mesh.spectrum = domain::spectrum_of(*mesh.surface, *mesh.operators, team);
    limits.stable = ir::stable_step(system, method, mesh);
    return limits;
}

/// Where nothing that is known of the equations limits dt, their linearisation about the start does; a run that becomes faster finds that out.
bool take_limit_of_start(const Spec& spec, ir::StableStep& stable) {
    if (std::isfinite(stable.limit)) return false;
    const double longest = longest_at_start(spec, spec.domain);
    if (!(longest > 0) || !std::isfinite(longest)) return false;
    stable.limit = longest;
    stable.reason = "for the state of the start; " + stable.reason;
    return true;
}

}  // namespace

StepLimits limits_of_step(const Spec& spec, const ir::System& system, core::ThreadTeam& team) {
    if (spec.tolerance) return limits_for_tolerance(spec, system, team);
    if (ir::scheme_of(spec.method).legendre()) return limits_of_stages(spec, system, team);
    StepLimits limits = limits_of_table(spec, system, team);
    if (!spec.dt && take_limit_of_start(spec, limits.stable)) return limits;
    return spec.method_open ? choose_method(spec, system, std::move(limits)) : limits;
}

void adopt(Spec& spec, const StepLimits& limits) {
    if (!limits.method.empty()) spec.method.name = limits.method;
    if (limits.waves) spec.method_chosen = true;
    if (limits.stages > 0) spec.method.stages = limits.stages;
    if (limits.spectrum) std::get<domain::Mesh>(spec.domain).spectrum = *limits.spectrum;
    spec.longest_dt = std::min(spec.longest_dt, limits.longest_dt);
    if (!std::exchange(spec.method_open, false)) return;
    if (!limits.method.empty()) spec.method_given = true;
    spec.method_choice = limits.choice;
}

namespace {

/// What the user and the model leave to the choice of dt.
struct DtChoice {
    bool stands;                     ///< the start alone is looked at
    bool advice;                     ///< the dt of the model is advice, which does not suit this run
    bool automatic;                  ///< dt is chosen: none is given, or it is such advice
    std::optional<double> end_time;  ///< the length of the run is a time
};

DtChoice dt_choice(const Spec& spec, const Clock& clock) {
    DtChoice choice{};
    choice.stands = spec.end_time ? *spec.end_time == 0 : spec.steps == 0;
    // a method that takes longer steps than the one that dt was meant for
    const bool has_own_dt = ir::scheme_of(spec.method).legendre() || !spec.method_choice.empty();
    choice.advice = spec.dt && spec.dt_is_advice && (has_own_dt || *spec.dt > clock.stable_dt);
    choice.automatic = !spec.dt || choice.advice;
    choice.end_time = spec.end_time;
    if (choice.advice && spec.steps_are_advice && !choice.end_time) choice.end_time = *spec.dt * static_cast<double>(spec.steps);
    return choice;
}

void set_dt(Clock& clock, const Spec& spec, const DtChoice& choice) {
    const ir::StableStep& stable = clock.limits;
    const bool chosen = stable.limit > 0 && std::isfinite(clock.stable_dt);
    if (!spec.dt && !chosen && !choice.stands) require_readable_start(spec);  // the start may be why nothing limits dt
    if (!spec.dt && stable.limit == 0 && !choice.stands) throw core::InputError("dt cannot be chosen: " + stable.reason);
    if (!spec.dt && !std::isfinite(clock.stable_dt) && !choice.stands) {
        throw core::InputError("dt cannot be chosen: no stability limit is known for this model (" + stable.reason +
                               "); give --dt, [method] reaction_rate, or ranges of the fields");
    }
    clock.dt = choice.automatic ? clock.automatic_dt : *spec.dt;
    clock.automatic = choice.automatic;
    if (choice.stands && !(clock.dt > 0 && std::isfinite(clock.dt))) clock.dt = 1;
    if (clock.dt <= 0 || !std::isfinite(clock.dt))
        throw core::InputError("dt is " + core::number_text(clock.dt) + "; it must be above 0 and finite");
}

/// Where the length of the run is a time, a chosen dt is shortened until whole steps end there.
void set_steps(Clock& clock, const Spec& spec, const DtChoice& choice) {
    clock.steps = spec.steps;
    if (!choice.end_time) return;
    const double time = *choice.end_time;
    const double steps = choice.automatic ? divide(time, clock.dt) : std::floor(time / clock.dt + 0.5);
    if (steps > static_cast<double>(kMostSteps)) {
        throw core::InputError("time " + core::number_text(time) + " is " + core::number_text(steps) + " steps of dt " +
                               core::number_text(clock.dt) + "; at most 2^53 steps can be counted");
    }
    if (steps == 0 && time > 0) {
        throw core::InputError("time " + core::number_text(time) + " is less than half a step of dt " + core::number_text(clock.dt) +
                               "; give a smaller --dt or a longer --time");
    }
    clock.steps = static_cast<Index>(steps);
    if (!spec.force) refuse_endless(spec, clock);
}

/// What there is to say of a dt that was chosen; nothing where no limit is known.
std::string notice_of_chosen_dt(const Spec& spec, const Clock& clock, const DtChoice& choice) {
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    const std::string dt = "dt " + chosen_text(clock, choice.end_time), &reason = clock.limits.reason;
    const bool limited = std::isfinite(clock.stable_dt);
    if (!spec.method_choice.empty()) return spec.method_choice + ": " + dt;
    if (scheme.splits() && limited) return spec.method.name + ", " + dt + " (" + reason + ")";
    if (scheme.legendre() && limited) return text_of_stages(spec, clock, choice.end_time);
    if (choice.advice) {
        return dt + " instead of " + core::number_text(*spec.dt) + ", the dt for planes, which this " +
               (std::holds_alternative<domain::Mesh>(spec.domain) ? "surface" : "grid") + " does not allow (" + reason + ")";
    }
    if (!limited) return "";
    const double share = share_of_limit(spec);
    return dt + ", " + (choice.end_time ? "within " : "") + core::number_text(share) + " of the explicit limit" +
           (share < kShareOfLimit ? ", as white() asks for short steps (" : " (") + reason + ")";
}

/// Warns of a given dt that is too long; nothing where it is short enough.
std::string warning_of_given_dt(const Spec& spec, const Clock& clock) {
    const ir::StableStep& stable = clock.limits;
    if (clock.dt > stable.diffusion_limit) {
        return "warning: dt " + core::number_text(clock.dt) + " is above " + core::number_text(short_number(stable.diffusion_limit)) +
               (ir::scheme_of(spec.method).takes_exponentials
                    ? ", the limit of explicit diffusion, for what is not linear of it; the run may overshoot or diverge"
                    : ", the limit of explicit diffusion; expect the run to diverge");
    }
    return clock.dt > stable.drift_limit ? "warning: " + above_drift(clock) + "; expect the run to diverge" : "";
}

void warn_of_diffusion(Clock& clock) {
    if (const std::string complaint = complaint_about_diffusion(clock.limits); !complaint.empty())
        clock.notices.push_back("warning: " + complaint);
}

void add_clock_notices(Clock& clock, const Spec& spec, const DtChoice& choice) {
    if (spec.method_chosen) {
        clock.notices.push_back("method " + spec.method.name +
                                ", since the waves of this model are damped weakly or not at all: Euler's method would need " +
                                "much shorter steps, or is unstable at any dt (--method chooses another)");
    }
    const std::string of_dt = choice.automatic ? notice_of_chosen_dt(spec, clock, choice) : warning_of_given_dt(spec, clock);
    if (!of_dt.empty()) clock.notices.push_back(of_dt);
    if (!choice.stands || spec.newton) warn_of_diffusion(clock);
}

}  // namespace

Clock decide_clock(const Spec& spec, const ir::StableStep& stable) {
    Clock clock;
    if (spec.tolerance) {
        clock = clock_for_tolerance(spec, stable);
        warn_of_diffusion(clock);
        return clock;
    }
    clock.limits = stable;
    clock.stages = ir::kernel_steps_of(spec.method);
    const double accurate = std::min(spec.stages > 0 ? ir::kInfinity : stable.accurate, spec.longest_dt);
    clock.stable_dt = short_number(std::min(kShareOfLimit * stable.limit, accurate));
    clock.automatic_dt = short_number(std::min(share_of_limit(spec) * stable.limit, accurate));
    const DtChoice choice = dt_choice(spec, clock);
    set_dt(clock, spec, choice);
    set_steps(clock, spec, choice);
    add_clock_notices(clock, spec, choice);
    if (!stable.backwards.empty()) clock.stable_dt = 0;
    return clock;
}

std::string complaint_about_diffusion(const ir::StableStep& limits) {
    if (limits.backwards.empty()) return "";
    return "the diffusion of " + core::listed_briefly(limits.backwards) +
           " runs backwards (a coefficient of lap, div or bilap has the wrong sign): the shorter a wave, the faster it grows, so the "
           "result "
           "depends on the grid and grows beyond all numbers";
}

std::string advice_on_noise(const Clock& clock, const ir::Method& method) {
    constexpr double kFar = 1.5, kQuiet = 0.2;  // Euler's variance at a fifth of the limit is 1.25 times that of short steps
    const double limit = clock.limits.limit;
    if (!(clock.dt < limit) || !std::isfinite(limit) || ir::scheme_of(method).splits()) return "";
    const ir::StabilityPolynomial polynomial(method);
    const auto share = [&](double dt) { return polynomial.noise_share(polynomial.longest_step(1) * dt / limit); };
    const auto times = [](double value) { return core::rounded_text(value, 3) + " times"; };
    const double here = share(clock.dt), shorter = short_number(kQuiet * limit);
    if (here < kFar && here > 1 / kFar) return "";
    return "with dt " + core::rounded_text(clock.dt, 4) + " white() gives the stiffest modes about " + times(here) +
           " the variance that they have with short steps; with --dt " + core::number_text(shorter) + " " + times(share(shorter));
}

std::string advice_on_divergence(const Clock& clock) {
    if (!clock.limits.backwards.empty()) return complaint_about_diffusion(clock.limits);
    if (clock.by_tolerance)
        return "look at the terms that make a field grow or jump; where they have a pole, a smaller --tolerance may pass it with shorter "
               "steps, and where a field jumps, a larger one holds";
    const ir::StableStep& limits = clock.limits;
    const std::string dt = core::rounded_text(clock.dt, 6), stable = core::number_text(clock.stable_dt);
    const std::string diffusion = core::number_text(short_number(limits.diffusion_limit)),
                      limit = core::number_text(short_number(limits.limit));
    if (clock.dt > limits.diffusion_limit)
        return "dt is " + dt + ", above " + diffusion + ", the limit of explicit diffusion: try --dt " + stable;
    if (clock.dt > limits.drift_limit) return above_drift(clock) + (clock.stable_dt > 0 ? ": try --dt " + stable : "");
    const bool diffuses = std::isfinite(limits.diffusion_limit);
    const std::string within = "dt " + dt + " is within the limit of " + (diffuses ? "explicit diffusion, " + diffusion : "the reaction");
    if (clock.dt > limits.limit) {
        return (diffuses ? within + ", but with the reaction the limit is " + limit
                         : "dt is " + dt + ", above " + limit + ", the limit of the reaction") +
               ": try --dt " + stable;
    }
    const std::string next = "try --dt " + core::rounded_text(clock.dt / 2, 4) + " or other parameters";
    if (!limits.unknown.empty()) {
        return (std::isfinite(limits.limit) ? within + "; " : "no limit of dt " + dt + " is known: ") + limits.unknown +
               ": give [fields] ranges, or " + next;
    }
    return within + (diffuses ? ", with the reaction too" : "") + ": a field has left its declared range or grows by its reaction, " +
           "which a smaller step does not prevent; look at the terms that make it grow, or " + next;
}

Index steps_between_tests(const Spec& spec, const Clock& clock) {
    constexpr Index kMoments = 64, kFewest = 16;
    if (!spec.steady) return 0;
    return clock.by_tolerance ? kMoments : std::max(kFewest, stepper::kTestInterval / std::max(1, clock.stages));
}

}  // namespace mottle::run
