// apps/cli/check.cpp: mottle check: everything that can be refused before the first step, for every preset
#include "commands.h"
#include "report.h"

#include "mottle/backend/registry.h"
#include "mottle/core/text.h"
#include "mottle/field/source.h"
#include "mottle/ir/expression.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/clock.h"
#include "mottle/run/spec.h"
#include "mottle/run/timeline.h"

#include <cmath>
#include <iostream>
#include <optional>

namespace mottle::cli {

namespace {

/// What a run does up to the kernel, thrown away. Throws: Error.
run::Clock rehearse(run::Spec& spec, bool resumes) {
    const ir::System system = ir::build(spec.model);
    core::ThreadTeam team(core::available_cores());
    run::Clock clock = run::decide_clock(spec, run::stable_step_of(spec, system, team));
    std::vector<run::FrameTimes> times;
    for (const run::Output& output : spec.outputs) times.push_back(output.times);
    const run::Timeline timeline(times, clock.steps, spec.steady.has_value());
    const ir::Program program = ir::lower(system, spec.method, spec.domain);
    if (spec.device == "auto" || spec.device.starts_with("cpu"))
        backend::create_backend(spec.device)->emit(program, spec.domain, spec.schedule);
    auto rehearse_expression = [&](const model::ExprPtr& expression) {
        if (expression) field::create_row_expression(ir::lower_position(expression, spec.model, spec.domain), spec.domain, spec.initial);
    };
    for (const model::Equation& equation : spec.model.equations) rehearse_expression(equation.initial);
    for (const model::Parameter& parameter : spec.model.parameters) rehearse_expression(parameter.map);
    if (!spec.checkpoint.empty()) run::require_own_file(spec);
    if (!spec.resume.empty() && resumes) {
        const run::Standing standing = run::check_checkpoint(spec.resume, run::identify(program, spec, clock.dt));
        run::require_steps_left(spec.resume, standing, clock.steps);
    }
    return clock;
}

/// The dt that `auto` stands for, or why there is none.
std::string automatic_text(const run::Clock& clock) {
    return std::isfinite(clock.stable_dt) ? core::number_text(clock.stable_dt) : "none; " + clock.limits.reason;
}

std::string counted(std::size_t count, const std::string& noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

}  // namespace

int check(const std::string& file) {
    const core::Node document = model::load_document(file);
    const core::Node no_flags;
    std::vector<std::string> names;
    for (const model::Preset& preset : run::presets_of(document)) names.push_back(preset.name);
    const bool plain = names.empty();
    if (plain) names.emplace_back();
    // A state fits the preset that a run of the file takes.
    const std::optional<model::Preset> preset = run::preset_of(document, "");
    const std::string chosen = preset ? preset->name : "";
    for (const std::string& name : names) {
        run::Spec spec = run::read_spec(document, model_name(file), name, no_flags);
        const run::Clock clock = rehearse(spec, name == chosen);
        if (name == names.front()) {
            std::cout << file << ": " << counted(spec.model.equations.size(), "field") << ", "
                      << counted(spec.model.parameters.size(), "parameter") << ", " << counted(plain ? 0 : names.size(), "preset") << "\n";
        }
        std::cout << (plain ? "ok" : "ok " + name) << ": " << domain::describe(spec.domain) << ", " << core::grouped(clock.steps)
                  << " steps of " << step_text(clock.dt) << " (auto: " << automatic_text(clock) << ")\n";
        for (const std::string& notice : spec.notices) std::cout << "  " << notice << "\n";
        if (spec.dt) {
            for (const std::string& notice : clock.notices) std::cout << "  " << notice << "\n";
        }
    }
    return kDone;
}

}  // namespace mottle::cli
