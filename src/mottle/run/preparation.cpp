// mottle/run/preparation.cpp: equations -> clock and program, with every check that needs no kernel
#include "mottle/run/preparation.h"

#include "mottle/ir/evaluate.h"
#include "mottle/ir/white_noise.h"
#include "mottle/run/boundary_rules.h"
#include "mottle/run/memory.h"
#include "mottle/run/timeline.h"

namespace mottle::run {

std::vector<FrameTimes> frame_times(const Spec& spec) {
    std::vector<FrameTimes> times;
    times.reserve(spec.outputs.size());
    for (const Output& output : spec.outputs) times.push_back(output.times);
    return times;
}

std::vector<double> input_values(const ir::Program& program, const model::Model& model, std::uint64_t seed) {
    const ir::KeyParts key = ir::key_parts(seed);
    std::vector<double> values;
    values.reserve(program.inputs.size());
    for (const std::string& name : program.inputs) {
        double value = 0;
        for (const model::Parameter& parameter : model.parameters) {
            if (parameter.name == name) value = parameter.value;
        }
        for (std::size_t part = 0; part < key.size(); ++part) {
            if (name == ir::key_input(part)) value = key[part];
        }
        values.push_back(value);
    }
    return values;
}

namespace {

void check_borders(const Spec& spec, const ir::Program& program) {
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    if (grid) require_finite_borders(*grid, program, ir::evaluate_uniforms(program, input_values(program, spec.model, spec.initial.seed)));
}

}  // namespace

Preparation prepare(Spec& spec, core::ThreadTeam& team) {
    const ir::System system = ir::build(spec.model);
    Preparation made{decide_clock(spec, stable_step_of(spec, system, team)), {}, {}};
    const Timeline timeline(frame_times(spec), made.clock.steps, spec.steady.has_value());  // refuses what cannot be drawn
    made.program = ir::lower(system, spec.method, spec.domain);
    if (!spec.force) check_memory(spec, made.program.arrays.size());
    check_borders(spec, made.program);
    if (const auto* grid = std::get_if<domain::Grid>(&spec.domain)) {
        made.notices = notices_of_held_borders(made.program);
        for (std::string& notice : notices_of_broken_wrapping(*grid, spec.model)) made.notices.push_back(std::move(notice));
    }
    const bool noisy = ir::has_noise(made.program);
    if (noisy && made.clock.steps > 0) {
        if (std::string notice = advice_on_noise(made.clock, spec.method); !notice.empty()) made.notices.push_back(std::move(notice));
    }
    if (noisy && spec.steady) {
        made.notices.push_back(
            "warning: white() moves the fields with every step, and --until steady waits until none moves; expect the run to "
            "reach its last step");
    }
    return made;
}

Clock clock_of(Spec& spec, const ir::Program& program, core::ThreadTeam& team) {
    Clock clock = decide_clock(spec, stable_step_of(spec, ir::build(spec.model), team));
    check_borders(spec, program);
    return clock;
}

}  // namespace mottle::run
