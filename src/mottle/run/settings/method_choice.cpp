// mottle/run/settings/method_choice.cpp: what limits Euler's method, what each method would cost, and the cheapest
#include "mottle/run/settings/method_choice.h"

#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/run/settings/method_costs.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/start_rates.h"
#include "mottle/run/settings/tolerance.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mottle::run {
namespace {

constexpr double kWorthIt = 1.3;        // times Euler's speed: costs are off by as much
constexpr double kOfReaction[2] = {0.35, 0.6};  // of the time that the fastest reaction takes, by order: a guess of the steps that 1 % allows
constexpr double kOfRun = 1.0 / 32;     // the longest steps of a tolerance
constexpr double kSmallOfBound = 1 / ir::kReactionInStep;
constexpr double kThin = 100;          // mean edges squared times the stiffness: that of good meshes is 15 or so, of scans 200 to 2,000

double length_of(const Spec& spec) { return spec.end_time ? *spec.end_time : spec.dt.value_or(0) * static_cast<double>(spec.steps); }

/// The longest dt with which a method of order 1, 2 or 4 changes what turns by the angular frequency `w` by no more than 1 % of itself in the time of the run. Roots alone: the
/// same on every machine.
double longest_for_turning(int order, double w, double time) {
    if (!(w > 0)) return ir::kInfinity;
    const double share = kErrorOfChoice / (time * w);
    if (order == 1) return 2 * share / w;
    return (order == 2 ? std::sqrt(6 * share) : std::sqrt(std::sqrt(120 * share))) / w;
}

struct Candidate {
    std::string method;
    double dt = 0;
    int stages = 0;
    double cost = ir::kInfinity;  ///< of a unit of time, in steps of Euler's method
};

class Choice {
   public:
    Choice(const Spec& spec, const ir::System& system, const domain::Domain& domain, const StepLimits& of_euler)
        : own_(spec), system_(system), euler_(of_euler.stable), time_(length_of(spec)), longest_(kShareOfLimit * euler_.limit) {
        own_.domain = domain;
        own_.dt.reset();
        if (const std::optional<ir::CellRates> rates = rates_of_start(own_, domain, longest_)) {
            known_ = true;
            rates_ = *rates;
        }
    }

    bool is_known() const { return known_; }
    double turning() const { return rates_.turning; }

    /// Euler's method with its longest steps, or such that what turns stays right.
    Candidate euler() const {
        const double dt = std::min(longest_, longest_for_turning(1, rates_.turning, time_));
        return {"euler", dt, 1, 1 / dt};
    }
    Candidate of_table(const std::string& name) const {
        const ir::Method method{name, own_.method.f64, 0};
        const double stable = kShareOfLimit * ir::stable_step(system_, method, own_.domain).limit;
        const double dt = std::min(stable, longest_for_turning(ir::order_of(method), rates_.turning, time_));
        return {name, dt, ir::stages_of(method), dt > 0 ? cost_of_step(method, own_.domain) / dt : ir::kInfinity};
    }
    /// A method of any number of stages, if it may be cheaper than `bound`: they are counted only then.
    Candidate of_stages(const char* name, double bound) {
        ir::Method method{name, own_.method.f64, 0};
        const int order = ir::order_of(method);
        Candidate made{name, guess(order), 0, ir::kInfinity};
        const double stiff = 2 * order * made.dt / longest_;  // of s stages, s^2 + s or a little less
        method.stages = std::clamp(static_cast<int>(std::sqrt(stiff)), order, ir::kMostStages);
        const auto cost = [&] { return cost_of_step(method, own_.domain) * cost_of_tolerance(method) / made.dt; };
        if (!(cost() < bound)) return made;
        own_.method = method;
        method.stages = ir::kMostStages;
        made.dt = std::min(made.dt, kShareOfLimit * ir::stable_step(system_, method, own_.domain).limit);
        if (!(made.dt > 0)) return made;
        method.stages = made.stages = stages_for(own_, system_, made.dt);
        made.cost = cost();
        return made;
    }

   private:
    /// How long steps that hold 1 % will be.
    double guess(int order) const {
        const double rate = std::max(rates_.fastest, kSmallOfBound * euler_.reaction);
        const double reaction = rate > 0 ? kOfReaction[order - 1] / rate : ir::kInfinity;
        return std::min({reaction, kOfRun * time_, longest_for_turning(order, rates_.turning, time_)});
    }

    Spec own_;
    const ir::System& system_;
    const ir::StableStep& euler_;
    double time_, longest_;
    bool known_ = false;
    ir::CellRates rates_;
};

std::string limit_text(const ir::StableStep& euler, const domain::Domain& domain) {
    std::string what = euler.limited_by;
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    if (mesh && what.starts_with("diffusion")) {
        const double edge = domain::mean_edge(*mesh->surface);
        if (mesh->spectrum.largest * edge * edge > kThin)
            what += " at the thin triangles of vertex " + std::to_string(mesh->surface->original[core::at(mesh->spectrum.worst)]);
    }
    return what + " limits Euler's method to dt " + core::rounded_text(kShareOfLimit * euler.limit, 2);
}

}  // namespace

bool leaves_method_open(const Spec& spec) {
    if (spec.tolerance || spec.stages > 0 || spec.method_given || ir::has_noise(spec.model)) return false;
    if (spec.dt) return spec.dt_is_advice && (spec.end_time || spec.steps_are_advice);
    return spec.end_time.has_value();
}

void keep_to_steps(Spec& spec) { spec.method_open = spec.method_open && spec.method_asked; }

StepLimits choose_method(const Spec& spec, const ir::System& system, StepLimits of_euler, core::ThreadTeam& team) {
    const ir::StableStep& euler = of_euler.stable;
    const double longest = kShareOfLimit * euler.limit;
    const bool stands = spec.dt && *spec.dt <= longest;  // the dt of a preset, which this domain allows
    if (of_euler.waves || stands || !(longest > 0) || !std::isfinite(longest) || !(length_of(spec) > 0)) return of_euler;
    domain::Domain domain = spec.domain;
    if (of_euler.spectrum) std::get<domain::Mesh>(domain).spectrum = *of_euler.spectrum;
    Choice choice(spec, system, domain, of_euler);
    if (!choice.is_known()) return of_euler;
    const Candidate first = choice.euler();
    Candidate best = first;
    const auto offer = [&](const Candidate& other) {
        if (other.cost < best.cost && kWorthIt * other.cost <= first.cost) best = other;
    };
    if (first.dt < longest) {  // else they have no longer steps
        for (const char* name : {"midpoint", kMethodOfWaves}) offer(choice.of_table(name));
    }
    for (const char* name : {"rkl1", "rkl2"}) offer(choice.of_stages(name, std::min(best.cost, first.cost / kWorthIt)));
    StepLimits chosen = of_euler;
    const std::string gain = ", about " + core::rounded_text(first.cost / best.cost, 2) + " times faster";
    const std::string turns = "waves of this start turn by up to " + core::rounded_text(choice.turning(), 2) +
                              " radians per unit of time, and Euler's method would need dt " + core::rounded_text(first.dt, 2) +
                              " to keep them within 1 %";
    if (ir::find_scheme(best.method)->legendre()) {
        Spec own = spec;
        own.domain = domain;
        own.tolerance = chosen.tolerance = kErrorOfChoice;
        own.method.name = chosen.method = best.method;
        own.method_given = true;
        const StepLimits limits = limits_for_tolerance(own, system, team);
        chosen.stable = limits.stable;
        chosen.stages = limits.stages;
        chosen.choice = (first.dt < longest ? turns : limit_text(euler, domain)) + "; " + best.method + " in steps that hold 1 %, some " +
                        core::counted(best.stages, "stage", "stages") + " and dt " + core::rounded_text(best.dt, 2) + gain;
    } else if (first.dt < longest) {
        chosen.longest_dt = best.dt;
        chosen.choice = turns;
        if (best.method != first.method) {
            chosen.method = best.method;
            chosen.stable = ir::stable_step(system, {best.method, spec.method.f64, 0}, domain);
            chosen.choice += "; " + best.method + gain;
        }
    }
    return chosen;
}

}  // namespace mottle::run
