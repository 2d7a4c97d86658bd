// mottle/run/settings/preparation.cpp: equations -> clock and program, with every check that needs no kernel
#include "mottle/run/settings/preparation.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/white_noise.h"
#include "mottle/run/settings/boundary_rules.h"
#include "mottle/run/settings/memory.h"
#include "mottle/run/steady_state.h"
#include "mottle/run/timeline.h"

#include <string>
#include <unordered_map>

namespace mottle::run {

std::vector<FrameTimes> frame_times(const Spec& spec) {
    std::vector<FrameTimes> times;
    times.reserve(spec.outputs.size());
    for (const Output& output : spec.outputs) times.push_back(output.times);
    return times;
}

std::vector<double> input_values(const ir::Program& program, const model::Model& model, std::uint64_t seed) {
    const ir::KeyParts key = ir::key_parts(seed);
    std::unordered_map<std::string, double> known;
    for (const model::Parameter& parameter : model.parameters) known[parameter.name] = parameter.value;
    for (std::size_t part = 0; part < key.size(); ++part) known[ir::key_input(part)] = key[part];
    std::vector<double> values;
    values.reserve(program.inputs.size());
    for (const std::string& name : program.inputs) {
        const auto found = known.find(name);
        values.push_back(found == known.end() ? 0 : found->second);
    }
    return values;
}

namespace {

constexpr Index kLongCompile = 5'000;       // operations of a cell: some seconds
constexpr Index kLongestCompile = 100'000;  // a minute: compilers take longer for each operation the more there are in one kernel

/// What a kernel of very many operations costs before its first step. Throws: InputError (too many).
std::string notice_of_compile(const Spec& spec, const ir::Program& program) {
    Index operations = 0;
    for (const ir::Stage& stage : program.step.stages) operations += std::ssize(stage.code);
    if (operations <= kLongCompile || device::interprets(spec.device)) return "";
    const std::string count = "the equations come to " + core::grouped(operations) + " operations for each cell and step";
    if (operations > kLongestCompile && !spec.force) {
        throw core::InputError(count + ", and compiling more than " + core::grouped(kLongestCompile) +
                               " takes minutes; shorten the equations, or give --force, or --device reference, which compiles nothing");
    }
    return count + ": compiling them takes seconds to minutes, once (the cache keeps the kernel)";
}

}  // namespace

void require_borders(const Spec& spec, const ir::Program& program) {
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    if (grid) require_finite_borders(*grid, program, ir::evaluate_uniforms(program, input_values(program, spec.model, spec.initial.seed)));
}

Preparation prepare(Spec& spec, core::ThreadTeam& team) {
    const ir::System system = ir::build(spec.model);
    const StepLimits limits = limits_of_step(spec, system, team);
    adopt(spec, limits);
    Preparation made{decide_clock(spec, limits.stable), {}, {}};
    const Timeline timeline(frame_times(spec), made.clock.steps, steps_between_tests(spec, made.clock));  // refuses what cannot be drawn
    made.program = ir::lower(system, spec.method, spec.domain);
    if (!spec.force) check_memory(spec, made.program.arrays.size());
    if (std::string notice = notice_of_compile(spec, made.program); !notice.empty()) made.notices.push_back(std::move(notice));
    require_borders(spec, made.program);
    if (const auto* grid = std::get_if<domain::Grid>(&spec.domain)) {
        for (std::string& notice : notices_of_held_borders(made.program)) made.notices.push_back(std::move(notice));
        for (std::string& notice : notices_of_broken_wrapping(*grid, spec.model)) made.notices.push_back(std::move(notice));
    }
    const bool noisy = ir::has_noise(made.program);
    if (noisy && made.clock.steps > 0) {
        if (std::string notice = advice_on_noise(made.clock, spec.method); !notice.empty()) made.notices.push_back(std::move(notice));
    }
    if (spec.newton) require_newton(spec);
    if (noisy && spec.steady) {
        made.notices.push_back(
            "warning: white() changes the fields in every step, but --until steady waits until none changes; expect the run to "
            "reach its last step");
    }
    return made;
}

Clock clock_of(Spec& spec, const ir::Program& program, core::ThreadTeam& team) {
    const StepLimits limits = limits_of_step(spec, ir::build(spec.model), team);
    adopt(spec, limits);
    Clock clock = decide_clock(spec, limits.stable);
    require_borders(spec, program);
    return clock;
}

}  // namespace mottle::run
