// mottle/run/steady_state.cpp: a kernel of right sides in f64, Newton's method from the fields of a run, and the way back into them
#include "mottle/run/steady_state.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/watch/steady.h"
#include "mottle/run/watch/timings.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {
namespace {

constexpr Index kMostInPlane = 600'000, kMostInVolume = 20'000;  // unknowns: some gigabytes, some minutes for each factor
constexpr double kBeyondClamp = 1e-9;                            // of its width

std::string cannot(const std::string& why, const std::string& advice) { return "--until steady=newton " + why + "; " + advice; }

/// The equations without what only steps know of.
model::Model without_clamps(model::Model model) {
    for (model::Equation& equation : model.equations) equation.clamp.reset();
    return model;
}

ir::Program program_of_rates(const Spec& spec) {
    return ir::lower(ir::build(without_clamps(spec.model)), {.name = "euler", .f64 = true, .stages = 0}, spec.domain);
}

/// A power of two below the explicit limit.
double step_of_rates(const Spec& spec) {
    const ir::StableStep stable = ir::stable_step(ir::build(spec.model), {.name = "euler", .f64 = true, .stages = 0}, spec.domain);
    const double limit = stable.limit > 0 ? stable.limit : stable.diffusion_limit;
    return std::isfinite(limit) && limit > 0 ? std::exp2(std::floor(std::log2(limit))) : 1;
}

Index unknowns_of(const Spec& spec) { return domain::cell_count(spec.domain) * std::ssize(spec.model.equations); }

void require_few_unknowns(const Spec& spec) {
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    const bool volume = grid && grid->size[0] > 1 && grid->size[1] > 1 && grid->size[2] > 1;
    const Index most = volume ? kMostInVolume : kMostInPlane, unknowns = unknowns_of(spec);
    if (unknowns <= most || (spec.force && unknowns < (Index{1} << 31))) return;
    throw core::InputError("--until steady=newton factors a matrix of all unknowns, which takes gigabytes and minutes beyond " +
                           core::grouped(most) + " of them; " + domain::describe(spec.domain) + " has " + core::grouped(unknowns) +
                           "; use --until steady=1e-6" + (unknowns < (Index{1} << 31) ? ", or --force" : ""));
}

std::vector<double> weights_of(const Spec& spec) {
    const std::span<const double> measures = domain::measures(spec.domain);
    const std::size_t fields = spec.model.equations.size();
    std::vector<double> weights(core::at(unknowns_of(spec)), 1);
    for (std::size_t i = 0; i < weights.size() && !measures.empty(); ++i) weights[i] = measures[i / fields];
    return weights;
}

/// A field whose values leave its clamp; "" if there is none.
std::string clamped_field(const model::Model& model, std::span<const double> y) {
    const std::size_t fields = model.equations.size();
    for (std::size_t f = 0; f < fields; ++f) {
        if (!model.equations[f].clamp) continue;
        const auto [low, high] = *model.equations[f].clamp;
        const double margin = kBeyondClamp * (high - low);
        for (std::size_t i = f; i < y.size(); i += fields) {
            if (y[i] < low - margin || y[i] > high + margin) return model.equations[f].field;
        }
    }
    return "";
}

bool is_uniform(const model::Model& model, const field::Field& field) {
    return std::all_of(model.equations.begin(), model.equations.end(), [&](const model::Equation& equation) {
        const backend::Statistics now = field.statistics(field.find(equation.field));
        return now.std <= kFlat * std::max(std::abs(now.mean), declared_width(equation));
    });
}

}  // namespace

void require_newton(const Spec& spec) {
    const std::string steps = "use --until steady=1e-6";
    if (ir::has_noise(spec.model))
        throw core::InputError(cannot("searches for a steady state, and equations with white() have none", "leave out --until"));
    require_few_unknowns(spec);
    const ir::Program program = program_of_rates(spec);
    if (program.phases)
        throw core::InputError(cannot("needs rates that depend on few cells each, and mean() and integral() depend on all", steps));
    if (std::any_of(program.uniforms.begin(), program.uniforms.end(), [](const ir::Uniform& uniform) { return uniform.per_step; }))
        throw core::InputError(cannot("needs equations and borders that do not change with t", "leave out --until, or t"));
    steady::create_direct_solver({});
}

namespace {

SteadySearch search_near(const Spec& spec, field::Field& field, core::Context& context) {
    SteadySearch search;
    const model::Model model = without_clamps(spec.model);
    const ir::Program program = program_of_rates(spec);
    const auto backend = device::create_backend(device::may_take_a_card(spec.device) ? "cpu" : spec.device);
    const auto kernel = backend->compile(program, spec.domain, {}, context);
    field::Field state(*kernel, model, spec.initial, context);  // for its maps
    steady::Rates rates(state, input_values(program, model, spec.initial.seed), step_of_rates(spec));

    const std::size_t fields = model.equations.size();
    std::vector<double> y(core::at(rates.unknown_count())), cells(y.size() / fields);
    for (std::size_t f = 0; f < fields; ++f) {
        field.read(field.find(model.equations[f].field), std::span<double>(cells), context.team);
        for (std::size_t i = 0; i < cells.size(); ++i) y[i * fields + f] = cells[i];
    }
    search.result = steady::find_steady_state(rates, y, weights_of(spec));
    if (!search.result.found) return search;
    if (const std::string name = clamped_field(spec.model, y); !name.empty()) {
        search.result.found = false;
        search.result.why = "the steady state nearby leaves the clamp of " + name;
        return search;
    }
    for (std::size_t f = 0; f < fields; ++f) {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = y[i * fields + f];
        field.write(field.find(model.equations[f].field), std::span<const double>(cells), context.team);
    }
    search.uniform = is_uniform(spec.model, field);
    return search;
}

}  // namespace

SteadySearch find_steady_state(const Spec& spec, field::Field& field, core::Context& context) {
    const SteadyClock::time_point start = SteadyClock::now();
    SteadySearch search = search_near(spec, field, context);
    search.seconds = seconds_since(start);
    return search;
}

std::string search_text(const SteadySearch& search) {
    const steady::Search& found = search.result;
    if (!found.found)
        return "not found by Newton's method: " + found.why + " (residual " + core::rounded_text(found.residual, 2) + " per unit of time)";
    std::string text = "residual " + core::rounded_text(found.residual, 2) + " per unit of time" +
                       (found.residual > steady::kResidual ? ", which is its rounding," : "") + " after " +
                       core::counted(found.iterations, "iteration", "iterations") + " of Newton's method; ";
    if (!found.directions) {
        text += "growing directions are counted up to " + core::grouped(steady::kMostDense) + " unknowns, not of " +
                core::grouped(found.unknowns);
    } else {
        const Index growing = found.directions->growing;
        text += (growing == 0 ? "stable: no growing direction"
                              : "unstable: " + core::counted(growing, "growing direction", "growing directions")) +
                " of " + core::grouped(found.unknowns);
        if (found.directions->neutral > 0) text += ", " + core::grouped(found.directions->neutral) + " neutral";
    }
    if (found.conserved > 0) text += "; " + core::counted(found.conserved, "conserved sum", "conserved sums") + " kept";
    return text + "; moved by " + core::rounded_text(found.moved, 2) + " of the standard deviation";
}

}  // namespace mottle::run
