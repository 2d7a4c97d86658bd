// apps/cli/emit.cpp: mottle emit
#include "commands.h"

#include "mottle/device/registry.h"
#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/model_text.h"

#include <iostream>

namespace mottle::cli {
namespace {

/// A surface or a volume may take other steps than those of a preset for planes, and by another method: what is printed says which.
void settle(run::Spec& spec, bool advice_alone) {
    const bool advice = spec.dt && spec.dt_is_advice;
    if (!advice && (advice_alone || !spec.method_open)) return;
    core::ThreadTeam team(core::available_cores());
    const run::StepLimits limits = run::limits_of_step(spec, ir::build(spec.model), team);
    run::adopt(spec, limits);
    if (!advice) return;
    const run::Clock clock = run::decide_clock(spec, limits.stable);
    spec.dt = clock.dt;
    if (!spec.end_time) spec.steps = clock.steps;
}

}  // namespace

int emit(const ModelArguments& arguments, const std::string& what) {
    const core::Node document = model::load_document(arguments.model);
    run::Spec spec = run::read_spec(document, model_name(arguments.model), arguments.preset, arguments.flags);
    if (what == "model") {
        settle(spec, true);
        std::cout << run::model_text(spec, run::read_model_document(document, arguments.preset, arguments.flags));
        return kDone;
    }
    settle(spec, false);
    const ir::Program program = ir::lower(ir::build(spec.model), spec.method, spec.domain);
    if (what == "ir")
        std::cout << ir::print(program);
    else
        std::cout << device::create_backend(spec.device)->emit(program, spec.domain, spec.schedule);
    return kDone;
}

}  // namespace mottle::cli
