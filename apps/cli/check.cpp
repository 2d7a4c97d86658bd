// apps/cli/check.cpp: mottle check: everything that can be refused before the first step, for every preset or for one run
#include "commands.h"
#include "forecast.h"
#include "report.h"

#include "mottle/device/registry.h"
#include "mottle/core/text.h"
#include "mottle/field/field.h"
#include "mottle/field/source.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/run/settings/length_notice.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/watch/stability_watch.h"

#include <cmath>
#include <memory>
#include <iostream>
#include <optional>
#include <utility>

namespace mottle::cli {

namespace {

constexpr core::Index kMostEvaluated = core::Index{1} << 24;  // cells: a second or so

/// Reads what the start and the maps read; evaluates them where that takes no time to speak of.
void rehearse_start(const run::Spec& spec, run::Preparation& made, core::ThreadTeam& team) {
    if (domain::cell_count(spec.domain) <= kMostEvaluated) {
        field::require_finite_start(made.program, spec.model, spec.domain, spec.initial, team);
        return;
    }
    auto rehearse_expression = [&](const model::ExprPtr& expression) {
        if (expression) field::create_row_expression(ir::lower_position(expression, spec.model, spec.domain), spec.domain, spec.initial);
    };
    for (const model::Equation& equation : spec.model.equations) rehearse_expression(equation.initial);
    for (const model::Parameter& parameter : spec.model.parameters) rehearse_expression(parameter.map);
    made.notices.push_back("the initial state was not evaluated: more than " + core::grouped(kMostEvaluated) + " cells");
}

/// Halves an automatic dt as the run will that looks at its start. Very large starts are left to the run.
void look_at_start(run::Spec& spec, run::Preparation& made, core::ThreadTeam& team) {
    if (domain::cell_count(spec.domain) > kMostEvaluated || made.clock.steps == 0) return;
    core::Observer silent;
    core::Context context{team, silent, {}};
    const std::unique_ptr<backend::Kernel> kernel = device::create_backend("reference")->compile(made.program, spec.domain, {}, context);
    const field::Field start(*kernel, spec.model, spec.initial, context);
    if (std::string notice = run::notice_of_lengths(spec, made.clock, start); !notice.empty()) made.notices.push_back(std::move(notice));
    while (true) {
        run::StabilityWatch watch(spec, made.clock, 0);
        const std::optional<std::string> found = watch.look({}, start);
        if (!found) return;
        if (!run::may_shorten(made.clock) || !run::halve(spec, made.clock)) {
            made.notices.push_back("warning: " + *found + watch.advice());
            return;
        }
        made.notices.push_back(*found + "; a run begins with " + step_text(made.clock.dt));
    }
}

/// What a run does up to the kernel, thrown away. `shared`: by several ranks. Throws: Error.
run::Preparation rehearse(run::Spec& spec, bool resumes, bool shared, core::ThreadTeam& team) {
    run::Preparation made = run::prepare(spec, team);
    if (spec.device == "auto" || spec.device.starts_with("cpu"))
        device::create_backend(spec.device)
            ->emit(made.program, spec.domain, shared ? backend::with_spread(spec.schedule, {}) : spec.schedule);
    rehearse_start(spec, made, team);
    if (const std::optional<double> dt = spec.resume.empty() || !resumes ? std::nullopt : run::dt_of_checkpoint(spec.resume)) {
        run::halve_to(spec, made.clock, *dt);
    } else {
        look_at_start(spec, made, team);
    }
    if (!spec.checkpoint.empty()) run::require_own_file(spec);
    if (!spec.resume.empty() && resumes) {
        const run::Standing standing = run::check_checkpoint(spec.resume, run::identify(made.program, spec, made.clock.dt));
        std::string notice;
        if (run::is_finished(spec.resume, standing, spec, made.clock.steps, notice)) made.notices.push_back(notice);
    }
    return made;
}

/// The dt that `auto` stands for, or why there is none.
std::string automatic_text(const run::Clock& clock) {
    return std::isfinite(clock.automatic_dt) ? core::number_text(clock.automatic_dt) : "none; " + clock.limits.reason;
}

/// What a run comes to: its steps, or its time where they follow a tolerance.
std::string length_text(const run::Spec& spec, const run::Clock& clock) {
    if (clock.by_tolerance)
        return "t = " + time_text(clock.dt * static_cast<double>(clock.steps)) + " by " + spec.method.name + ", tolerance " +
               core::number_text(*spec.tolerance);
    return core::counted(clock.steps, "step", "steps") + " of " + step_text(clock.dt) + " (auto: " + automatic_text(clock) + ")";
}

/// What sums over all cells cost: nothing is fused across them.
std::string sums_text(const ir::Program& program) {
    const ir::Phases& phases = *program.phases;
    std::vector<std::string> names;
    for (const ir::Sum& sum : phases.sums) names.push_back(program.inputs[core::at(sum.input)]);
    const auto count = [](std::size_t n, const char* one, const char* many) {
        return core::counted(static_cast<core::Index>(n), one, many);
    };
    std::size_t sums = 0;
    for (const ir::Phase& phase : phases.step) sums += phase.sums.size();
    return core::listed(names, "and") + (names.size() == 1 ? " is a sum" : " are sums") + " over all cells: a step takes " +
           count(phases.step.size(), "pass", "passes") + " through the fields and " + count(sums, "sum", "sums") +
           ", and several steps cannot be fused in one pass";
}

}  // namespace

int check(const CheckArguments& wanted) {
    const ModelArguments& arguments = wanted.model;
    const std::optional<ForecastRequest> forecast = read_forecast_request(wanted.ranks, wanted.network);
    const std::string& file = arguments.model;
    const core::Node document = model::load_document(file);
    // A state, and flags, are for one run: that of the preset which `mottle run` would take.
    const std::optional<model::Preset> preset = run::preset_of(document, arguments.preset);
    const std::string chosen = preset ? preset->name : "";
    std::vector<std::string> names;
    for (const model::Preset& known : run::presets_of(document)) names.push_back(known.name);
    const std::size_t presets = names.size();
    if (!arguments.preset.empty() || !arguments.flags.members.empty() || forecast) names = {chosen};
    if (names.empty()) names.emplace_back();
    std::optional<core::ThreadTeam> team;
    for (const std::string& name : names) {
        // What other machines hold needs no memory here.
        const run::Given given = forecast ? run::Given{.ranks = forecast->ranks, .share_of_machine = 0} : run::Given{};
        run::Spec spec = run::read_spec(document, model_name(file), name, arguments.flags, given);
        const int threads = spec.threads > 0 ? spec.threads : core::available_cores();
        if (!team || team->size() != threads) team.emplace(threads);
        const run::Preparation made = rehearse(spec, name == chosen, forecast.has_value(), *team);
        const run::Clock& clock = made.clock;
        const std::string forecasted = forecast ? forecast_text(*forecast, spec, made) : "";  // may refuse: before anything is called ok
        if (name == names.front()) {
            std::cout << file << ": " << core::counted(std::ssize(spec.model.equations), "field", "fields") << ", "
                      << core::counted(std::ssize(spec.model.parameters), "parameter", "parameters") << ", "
                      << core::counted(static_cast<core::Index>(presets), "preset", "presets") << "\n";
        }
        std::cout << (name.empty() ? "ok" : "ok " + name) << ": " << domain::describe(spec.domain) << ", " << length_text(spec, clock)
                  << "\n";
        for (const auto* notices : {&std::as_const(spec.notices), &clock.notices, &made.notices}) {
            for (const std::string& notice : *notices) std::cout << "  " << notice << "\n";
        }
        if (made.program.phases) std::cout << "  " << sums_text(made.program) << "\n";
        std::cout << forecasted;
    }
    return kDone;
}

}  // namespace mottle::cli
