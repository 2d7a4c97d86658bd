// mottle/run/settings/method_choice.cpp: what limits Euler's method, what each method would cost, and the cheapest
#include "mottle/run/settings/method_choice.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/implicit.h"
#include "mottle/ir/stability/wave_scales.h"
#include "mottle/run/settings/method_costs.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/start_rates.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mottle::run {
namespace {

constexpr double kLeastGain = 1.5;    // times Euler's speed: costs are off by as much
constexpr double kOfRun = 1.0 / 128;  // the longest steps: sts2 takes some of them to smooth what is rough at the start
constexpr int kMostInSingle = 64;  // stages of sts2 in f32: rounding is then 0.1 % of a stiff field, and 2 % with 128 (docs/notes/stiff.md)
constexpr double kOfBound = 1.0 / 16;  // bounds hold at the ends of the ranges, and most of them are those of what decays
constexpr double kOfSplit = 1.0 / 3;   // a step of imex2, whose error is 4 to 40 times that of sts2, of one of sts2 (docs/notes/stiff.md)
constexpr double kGainOfSplit = 4;     // times the speed of all others: what imex2 leaves to chance has to pay
constexpr double kResolved = 1.0 / 8;  // of the stiffest: waves of six to nine cells, which the grid carries at 0.95 of their speed
constexpr double kThin = 100;          // mean edges squared times the stiffness: that of good meshes is 15 or so, of scans 200 to 2,000

/// Operators act on the fields themselves, by coefficients without fields: all that the fields make faster is in the reaction of a cell.
bool is_semilinear(const model::Model& model, const domain::Domain& domain) {
    const ir::WaveScales scales = ir::wave_scales(domain);
    const ir::Box anywhere(model.equations.size(), ir::entire());
    return std::all_of(model.equations.begin(), model.equations.end(), [&](const model::Equation& equation) {
        if (ir::find_call(*equation.rate, model::Callee::dot) || ir::find_call(*equation.rate, model::Callee::norm2)) return false;
        const std::vector<ir::Wave> waves = ir::linearise(*equation.rate, model, scales, anywhere);
        return std::all_of(waves.begin(), waves.end(), [](const ir::Wave& wave) {
            const auto bounded = [](const ir::Interval& term) { return term.is_bounded(); };
            return std::all_of(wave.powers.begin() + std::min<std::ptrdiff_t>(1, std::ssize(wave.powers)), wave.powers.end(), bounded) &&
                   std::all_of(wave.speed.begin(), wave.speed.end(), bounded);
        });
    });
}

double time_of_run(const Spec& spec) { return spec.end_time ? *spec.end_time : spec.dt.value_or(0) * static_cast<double>(spec.steps); }

/// The longest dt with which a method of order 1, 2 or 4 changes what turns by the angular frequency `w` by no more than 1 % of itself in the time of the run. Roots alone: the
/// same on every machine.
double longest_for_turning(int order, double w, double time) {
    if (!(w > 0)) return ir::kInfinity;
    const double share = 0.5 * kErrorOfChoice / (time * w);  // the amplitude may be off by as much as the phase
    if (order == 1) return 2 * share / w;
    return (order == 2 ? std::sqrt(6 * share) : std::sqrt(std::sqrt(120 * share))) / w;
}

/// The same for the speed of a front into land where small waves grow by `growth`: at its leading edge all grow twice as fast, and a method of order p is off by (2 dt growth)^p/(p + 1)!
/// of it.
double longest_for_spreading(int order, double growth) {
    if (!(growth > 0)) return ir::kInfinity;
    if (order == 1) return kErrorOfChoice / growth;
    return (order == 2 ? std::sqrt(6 * kErrorOfChoice) : std::sqrt(std::sqrt(120 * kErrorOfChoice))) / (2 * growth);
}

struct Candidate {
    std::string method;
    double dt = 0;
    int stages = 0;               ///< where their number is free
    double cost = ir::kInfinity;  ///< of a unit of time, in steps of Euler's method
};

class Choice {
   public:
    Choice(const Spec& spec, const ir::System& system, const domain::Domain& domain, const StepLimits& of_euler)
        : own_(spec), system_(system), euler_(of_euler.stable), time_(time_of_run(spec)), longest_(kShareOfLimit * euler_.limit) {
        own_.domain = domain;
        own_.dt.reset();
        if (const std::optional<StartRates> rates = rates_of_start(own_, domain, longest_)) {
            known_ = true;
            rates_ = *rates;
        }
    }

    bool is_known() const { return known_; }
    double turning() const { return rates_.turning; }
    double spreading() const { return rates_.spreading; }
    /// Whether it is a front that asks for the shortest steps of Euler's method.
    bool is_front() const { return longest_for_spreading(1, rates_.spreading) < longest_for_turning(1, rates_.turning, time_); }

    /// Euler's method with its longest steps, or such that what turns stays right.
    Candidate euler() const {
        const double dt = std::min(longest_, longest_accurate(1));
        return {"euler", dt, 0, 1 / dt};
    }
    Candidate of_table(const std::string& name) const {
        const ir::Method method{name, own_.method.f64, 0};
        const double stable = kShareOfLimit * ir::stable_step(system_, method, own_.domain).limit;
        const double dt = std::min(stable, longest_accurate(ir::order_of(method)));
        return {name, dt, 0, dt > 0 ? cost_of_step(method, own_.domain) / dt : ir::kInfinity};
    }
    /// sts2, or rkl2 where that is cheaper since its steps may have more stages, with steps that follow the fastest rate, if it may be cheaper than `bound`:
    /// stages are counted only then.
    Candidate of_stages(double bound) {
        const Candidate factored = of_stages("sts2", bound), recursive = of_stages("rkl2", std::min(bound, factored.cost));
        return recursive.cost < factored.cost ? recursive : factored;
    }

    /// imex2 on a surface, where a factor of its matrix is small enough to be kept and the equations have diffusion that it solves for, if it may be cheaper than
    /// `bound`: borders, equations and stability are looked at only then.
    Candidate of_factor(double bound) const {
        const ir::Method method{"imex2", own_.method.f64, 0};
        Candidate made{method.name, kOfSplit * step_that_follows()};
        const double cost = cost_of_factored_step(own_.domain);
        if (!(cost <= bound * made.dt) || !is_semilinear(own_.model, own_.domain)) return made;
        try {
            ir::require_solvable(own_.domain, own_.model, method);
            made.dt = std::min(made.dt, kShareOfLimit * ir::stable_step(system_, method, own_.domain).limit);
        } catch (const core::InputError&) {  // a border that its solver does not know
            return made;
        } catch (const core::ModelError&) {  // no diffusion that it solves for
            return made;
        }
        if (made.dt > 0) made.cost = cost / made.dt;
        return made;
    }

   private:
    /// For what turns, and for fronts.
    double longest_accurate(int order) const {
        return std::min(longest_for_turning(order, rates_.turning, time_), longest_for_spreading(order, rates_.spreading));
    }
    /// Steps of second order that follow the fastest rate, what turns, and fronts.
    double step_that_follows() const {
        const double rate = std::max(rates_.fastest, kOfBound * euler_.reaction);
        const double dt = std::min(kOfRun * time_, longest_accurate(2));
        return rate > 0 ? std::min(dt, kStepOfRate / rate) : dt;
    }
    Candidate of_stages(const std::string& name, double bound) {
        ir::Method method{name, own_.method.f64, 0};
        const bool rounds = ir::scheme_of(method).legendre()->factored && !method.f64;
        const int most = rounds ? kMostInSingle : ir::scheme_of(method).most_stages();
        Candidate made{method.name, step_that_follows()};
        const auto cost = [&] { return cost_of_step(method, own_.domain) / made.dt; };
        const double stiff = 4 * made.dt / longest_;  // of s stages, s^2 + s or a little less
        method.stages = std::clamp(static_cast<int>(std::sqrt(stiff)), 2, most);
        if (cost() > bound || !is_semilinear(own_.model, own_.domain)) return made;
        own_.method = method;
        method.stages = most;
        made.dt = std::min(made.dt, kShareOfLimit * ir::stable_step(system_, method, own_.domain).limit);
        if (!(made.dt > 0)) return made;
        method.stages = made.stages = stages_for(own_, system_, made.dt);
        made.cost = cost() <= bound ? cost() : ir::kInfinity;
        return made;
    }

    Spec own_;
    const ir::System& system_;
    const ir::StableStep& euler_;
    double time_, longest_;
    bool known_ = false;
    StartRates rates_;
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

namespace {

/// Of waves that hardly fade, by their own method: a dt that keeps their phase, for those that a grid carries at about their speed.
StepLimits limits_of_waves(const Spec& spec, const domain::Domain& domain, StepLimits limits) {
    const double longest = kShareOfLimit * limits.stable.limit;
    const auto rates = rates_of_start(spec, domain, longest, kResolved);
    if (!rates) return limits;
    const double dt = longest_for_turning(ir::order_of({limits.method, spec.method.f64, 0}), rates->turning, time_of_run(spec));
    if (!(dt < longest)) return limits;
    limits.longest_dt = dt;
    limits.choice = "waves of six cells and more oscillate at up to " + core::rounded_text(rates->turning, 2) +
                    " radians per unit of time; to keep their phase within 1 % of a radian to the end";
    return limits;
}

}  // namespace

void keep_to_steps(Spec& spec) { spec.method_open = spec.method_open && spec.method_asked; }

StepLimits choose_method(const Spec& spec, const ir::System& system, StepLimits of_euler) {
    const ir::StableStep& euler = of_euler.stable;
    const double longest = kShareOfLimit * euler.limit;
    const bool stands = spec.dt && *spec.dt <= longest;  // the dt of a preset, which this domain allows
    if (stands || !(longest > 0) || !std::isfinite(longest) || !(time_of_run(spec) > 0)) return of_euler;
    domain::Domain domain = spec.domain;
    if (of_euler.spectrum) std::get<domain::Mesh>(domain).spectrum = *of_euler.spectrum;
    if (of_euler.waves) return limits_of_waves(spec, domain, std::move(of_euler));
    Choice choice(spec, system, domain, of_euler);
    if (!choice.is_known()) return of_euler;
    const Candidate first = choice.euler();
    Candidate best = first;
    const auto offer = [&](const Candidate& other) {
        if (other.cost < best.cost && kLeastGain * other.cost <= first.cost) best = other;
    };
    if (first.dt < longest) {  // else they have no longer steps
        for (const char* name : {"midpoint", kMethodOfWaves}) offer(choice.of_table(name));
    }
    offer(choice.of_stages(std::min(best.cost, 1 / (kLeastGain * longest))));  // else diffusion is not what holds them back
    const double bound = best.cost / kGainOfSplit;
    if (const Candidate split = choice.of_factor(bound); split.cost <= bound) best = split;
    StepLimits chosen = of_euler;
    if (best.method == first.method && !(first.dt < longest)) return chosen;
    const std::string gain = ", about " + core::plain_text(first.cost / best.cost, 2) + " times faster";
    const std::string fronts = "the initial state is even in places where small waves grow by up to " +
                               core::rounded_text(choice.spreading(), 2) + " per unit of time, and Euler's method would need dt " +
                               core::rounded_text(first.dt, 2) + " to keep the speed of fronts there within 1 %";
    const std::string turns = "modes of the initial state oscillate at up to " + core::rounded_text(choice.turning(), 2) +
                              " radians per unit of time, and Euler's method would need dt " + core::rounded_text(first.dt, 2) +
                              " to keep them within 1 %";
    chosen.longest_dt = best.dt;
    chosen.choice = !(first.dt < longest) ? limit_text(euler, domain) : choice.is_front() ? fronts : turns;
    if (best.method == first.method) return chosen;
    chosen.method = best.method;
    Spec own = spec;
    own.domain = domain;
    own.method.name = best.method;
    own.longest_dt = best.dt;
    chosen.choice += "; " + best.method;
    if (best.stages > 0) {
        own.dt.reset();
        chosen.stable = settle_stages(own, system);
        chosen.stages = own.method.stages;
        chosen.choice += ", " + core::counted(chosen.stages, "stage", "stages");
    } else {
        chosen.stable = ir::stable_step(system, own.method, domain);
    }
    chosen.choice += gain;
    return chosen;
}

}  // namespace mottle::run
