// mottle/run/settings/length_notice.cpp: the state without patterns, the waves that grow about it, and the scale that shows them
#include "mottle/run/settings/length_notice.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/ir/stability/favoured_wave.h"
#include "mottle/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace mottle::run {
namespace {

constexpr double kShown = 12;           // waves that --scale is to show
constexpr double kFew = 3, kMany = 60;  // waves across a surface: beyond them nobody sees a pattern

std::string duration(double seconds) {
    if (seconds < 1) return "less than a second";
    if (seconds < 90) return "about " + core::plain_text(std::ceil(seconds)) + " s";
    if (seconds < 5400) return "about " + core::plain_text(std::ceil(seconds / 60)) + " minutes";
    return "about " + core::plain_text(std::ceil(seconds / 3600)) + " hours";
}

std::vector<double> values_of(const field::Field& field) {
    std::vector<double> values;
    for (const std::string& name : field.names()) values.push_back(field.statistics(field.find(name)).mean);
    return values;
}

/// Where the reaction alone goes from `state`: one cell, which has no neighbours. Nothing where it does not come to rest soon, or stands for places that one cell lacks.
std::optional<std::vector<double>> rest_of(const Spec& spec, std::vector<double> state) {
    constexpr Index kSteps = 4096;
    constexpr double kStep = 0.2, kStill = 1e-3;
    const double fastest = ir::fastest_reaction(spec.model, spec.domain, state);
    if (fastest == 0) return state;
    if (!std::isfinite(fastest)) return std::nullopt;
    Spec cell;
    cell.model = spec.model;
    cell.domain = domain::Grid{};
    cell.method.name = "rk4";
    cell.method.f64 = true;
    cell.device = "reference";
    cell.threads = 1;
    cell.initial = spec.initial;
    cell.dt = kStep / fastest;
    cell.steps = 2 * kSteps;
    for (std::size_t i = 0; i < state.size(); ++i) {
        model::Expr number{model::Expr::Kind::number, {}, state[i], {}, {}};
        cell.model.equations[i].initial = std::make_shared<const model::Expr>(std::move(number));
    }
    core::ThreadTeam team(1);
    core::Observer silent;
    core::Context context{team, silent, {}};
    Simulation run(std::move(cell), context);
    if (run.advance_to(kSteps).verdict == stepper::Verdict::diverged) return std::nullopt;
    state = values_of(run.field());
    if (run.advance_to(2 * kSteps).verdict == stepper::Verdict::diverged) return std::nullopt;
    const std::vector<double> later = values_of(run.field());
    for (std::size_t i = 0; i < later.size(); ++i) {
        if (!(std::abs(later[i] - state[i]) <= kStill * (std::abs(later[i]) + kStill))) return std::nullopt;
    }
    return later;
}

std::optional<double> favoured(const Spec& spec, const field::Field& start) {
    try {
        const auto rest = rest_of(spec, values_of(start));
        return rest ? ir::favoured_wavelength(spec.model, spec.domain, *rest) : std::nullopt;
    } catch (const core::InputError&) {  // attributes, tensors: what one cell does not have
        return std::nullopt;
    } catch (const core::ModelError&) {
        return std::nullopt;
    }
}

/// Of the steps that the same time takes with lengths `scale` times as long. Diffusion decays that squared more slowly, the reaction as before.
double share_of_steps(const Clock& clock, double scale) {
    if (!clock.automatic || !(clock.limits.limit > 0) || !std::isfinite(clock.limits.diffusion_limit)) return 1;
    const double diffusion = 1 / clock.limits.diffusion_limit, all = 1 / clock.limits.limit;
    return (diffusion / (scale * scale) + std::max(0.0, all - diffusion)) / all;
}

/// What the run costs with lengths `scale` times as long. `--steps` stands for itself, and `--time` for fewer or more of them.
std::string cost_at(const Spec& spec, const Clock& clock, double scale) {
    Clock scaled = clock;
    if (ir::scheme_of(spec.method).legendre() && clock.automatic) {
        // dt follows the reaction, and the number of stages the root of the stiffness; how many steps there are, is seen at that scale
        const double stages = clock.stages, fewer = std::max(2.0, std::ceil(stages / scale));
        return duration(seconds_of(spec, clock) * fewer / stages);
    }
    if (spec.end_time) scaled.steps = static_cast<Index>(std::ceil(static_cast<double>(clock.steps) * share_of_steps(clock, scale)));
    return core::counted(scaled.steps, "step", "steps") + ", " + duration(seconds_of(spec, scaled));
}

}  // namespace

std::string notice_of_lengths(const Spec& spec, const Clock& clock, const field::Field& start) {
    const auto* mesh = std::get_if<domain::Mesh>(&spec.domain);
    if (!mesh || !spec.lengths_of_file || clock.steps == 0) return "";
    const domain::Surface& surface = *mesh->surface;
    const double longest = domain::longest_side(domain::bounds(surface.position));
    const auto told = [&](std::string text) {
        if (clock.steps > kMostMeshSteps && !spec.force) throw core::InputError(text + "; give a shorter --time, or --force");
        return text;
    };
    std::string text = "the lengths of " + surface.name + " are those of the equations (its longest side is " + core::plain_text(longest) +
                       "): " + core::counted(clock.steps, "step", "steps") + ", " + duration(seconds_of(spec, clock));
    const std::optional<double> wavelength = favoured(spec, start);
    if (!wavelength) return told(text + "; --scale multiplies them");
    const double across = longest / *wavelength, scale = kShown / across;
    text +=
        "; the equations favour waves of length " + core::plain_text(*wavelength) + ", " + core::plain_text(across) + " across the surface";
    if (across >= kFew && across <= kMany) return told(text);
    text += ": --scale " + core::plain_text(scale, 2) + " shows some " + core::plain_text(kShown) + ", in " + cost_at(spec, clock, scale);
    const double smooth = domain::smooth_waves(surface);
    if (smooth < kShown) {
        const int more = static_cast<int>(std::ceil(std::log2(kShown / smooth)));
        text += "; --refine " + std::to_string(spec.refinement.times + more) + " draws them smoothly, with " +
                core::number_text(std::pow(4, more)) + " times the vertices";
    }
    return told(text);
}

}  // namespace mottle::run
