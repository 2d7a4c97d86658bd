// apps/cli/check.cpp: mottle check: everything that can be refused before the first step, for every preset
#include "commands.h"
#include "report.h"

#include "mottle/backend/registry.h"
#include "mottle/core/text.h"
#include "mottle/field/source.h"
#include "mottle/ir/expression.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/preparation.h"
#include "mottle/run/spec.h"

#include <cmath>
#include <iostream>
#include <optional>

namespace mottle::cli {

namespace {

/// What a run does up to the kernel, thrown away. Throws: Error.
run::Preparation rehearse(run::Spec& spec, bool resumes) {
    core::ThreadTeam team(core::available_cores());
    run::Preparation made = run::prepare(spec, team);
    if (spec.device == "auto" || spec.device.starts_with("cpu"))
        backend::create_backend(spec.device)->emit(made.program, spec.domain, spec.schedule);
    auto rehearse_expression = [&](const model::ExprPtr& expression) {
        if (expression) field::create_row_expression(ir::lower_position(expression, spec.model, spec.domain), spec.domain, spec.initial);
    };
    for (const model::Equation& equation : spec.model.equations) rehearse_expression(equation.initial);
    for (const model::Parameter& parameter : spec.model.parameters) rehearse_expression(parameter.map);
    if (!spec.checkpoint.empty()) run::require_own_file(spec);
    if (!spec.resume.empty() && resumes) {
        const run::Standing standing = run::check_checkpoint(spec.resume, run::identify(made.program, spec, made.clock.dt));
        run::require_steps_left(spec.resume, standing, made.clock.steps);
    }
    return made;
}

/// The dt that `auto` stands for, or why there is none.
std::string automatic_text(const run::Clock& clock) {
    return std::isfinite(clock.stable_dt) ? core::number_text(clock.stable_dt) : "none; " + clock.limits.reason;
}

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
        const run::Preparation made = rehearse(spec, name == chosen);
        const run::Clock& clock = made.clock;
        if (name == names.front()) {
            std::cout << file << ": " << core::counted(std::ssize(spec.model.equations), "field", "fields") << ", "
                      << core::counted(std::ssize(spec.model.parameters), "parameter", "parameters") << ", "
                      << core::counted(plain ? 0 : std::ssize(names), "preset", "presets") << "\n";
        }
        std::cout << (plain ? "ok" : "ok " + name) << ": " << domain::describe(spec.domain) << ", " << core::grouped(clock.steps)
                  << " steps of " << step_text(clock.dt) << " (auto: " << automatic_text(clock) << ")\n";
        for (const std::string& notice : spec.notices) std::cout << "  " << notice << "\n";
        if (spec.dt) {
            for (const std::string& notice : clock.notices) std::cout << "  " << notice << "\n";
        }
        for (const std::string& notice : made.notices) std::cout << "  " << notice << "\n";
    }
    return kDone;
}

}  // namespace mottle::cli
