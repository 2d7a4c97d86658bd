// mottle/stepper/stepper.cpp: advances a field in launches between the steps where something is looked at
#include "mottle/stepper/stepper.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/cell_text.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/stepper/phases.h"
#include "mottle/stepper/together.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace mottle::stepper {
namespace {

constexpr double kLaunchSeconds = 0.2;
constexpr double kReportSeconds = 0.1;
constexpr std::size_t kLongestFormula = 100;

std::string moment_text(core::Moment moment) {
    return "step " + core::grouped(moment.step) + " (t = " + core::number_text(moment.time) + ")";
}

constexpr Index kMostRows = 8 * kTestInterval;  // of uniforms, for one launch

/// As few steps as end where passes of the kernel end.
Index fused_steps(const field::Field& field, int stages) {
    const Index fused = std::max(1, backend::steps_of(field.kernel().schedule()).value_or(1));
    return fused / std::gcd(fused, Index{stages});
}

/// What makes a number of the equations infinite, as its author may have written it: "; in the equations D/k is inf", or nothing.
std::string text_of_infinity(const ir::Program& program, const ir::Code& code, std::span<const double> inputs) {
    std::optional<ir::Code> part = ir::part_beyond_numbers(code, inputs);
    if (!part) return "";
    const bool rounded = part->back().op == ir::Op::round_single;
    if (rounded) part->resize(core::at(part->back().args[0]) + 1);
    const std::string text = ir::formula(program, *part);
    // exp, tanh and others are many operations, which nobody has written
    if (text.size() > kLongestFormula) return "";
    return "; in the equations " + text + " is " + core::number_text(ir::evaluate(*part, inputs)) +
           (rounded ? ", beyond the largest number of f32; --precision f64 has larger ones" : "");
}

}  // namespace

// One that time cuts short is a multiple of the fused steps if it holds several of them.
Index Stepper::launch_of(double seconds_per_step) const {
    const Index most = std::clamp<Index>(kMostRows / uniforms_.stages(), 1, kTestInterval), fused = fused_steps(field_, uniforms_.stages());
    const double steps = kLaunchSeconds / std::max(seconds_per_step, 1e-9);
    if (steps >= static_cast<double>(most)) return most;
    const Index whole = std::max<Index>(1, static_cast<Index>(steps));
    return whole < fused ? whole : whole - whole % fused;
}

const char* word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::reached:
            return "reached";
        case Verdict::patterned:
            return "patterned";
        case Verdict::uniform:
            return "uniform";
        case Verdict::unsettled:
            return "limit reached";
        case Verdict::diverged:
            return "diverged";
        case Verdict::stopped:
            return "interrupted";
    }
    throw core::InternalError("a verdict without a word");
}

Stepper::Stepper(field::Field& field, std::vector<double> inputs, double dt, core::Context& context, int stages)
    : field_(field),
      origin_(0),
      dt_(dt),
      context_(context),
      uniforms_(field.kernel().program(), std::move(inputs), dt, stages),
      launch_steps_(std::min<Index>(fused_steps(field, stages), std::max<Index>(1, kMostRows / stages))),
      reported_at_(core::SteadyClock::now()) {
    if (const int time = uniforms_.find("t"); time >= 0) origin_ = uniforms_.input(time);
    split_ = create_split_steps(field.kernel());
}

void Stepper::start_at(Index step, double origin) {
    step_ = tested_ = reported_step_ = step;
    origin_ = origin;
    uniforms_.set_origin(origin);
}

core::Moment Stepper::now() const { return {step_, origin_ + static_cast<double>(step_) * dt_}; }

Outcome Stepper::advance_to(Index step, Index most) {
    Stepper* const self = this;
    return advance_together({&self, 1}, step, most).front();
}

Index Stepper::steps_to_look(Index step) const { return std::min(step, (step_ / kTestInterval + 1) * kTestInterval) - step_; }

backend::Advance Stepper::begin_launch(Index steps) {
    const Index first = in_kernel(step_), count = in_kernel(steps);
    return {&field_.state(), first, count, uniforms_.rows(first, count)};
}

void Stepper::launch_step_by_step(Index steps) {
    if (split_) return split_->advance(field_.kernel(), field_.state(), uniforms_, step_, steps);
    advance_phases(field_.kernel(), field_.state(), uniforms_, in_kernel(step_), in_kernel(steps));
}

void Stepper::end_launch(Index steps, double seconds, double launch_seconds) {
    seconds_ += seconds;
    step_ += steps;
    launch_steps_ = launch_of(launch_seconds / static_cast<double>(steps));
}

std::optional<Outcome> Stepper::find_divergence() {
    const std::vector<ir::ArrayInfo>& arrays = field_.kernel().program().arrays;
    const domain::Domain& domain = field_.kernel().domain();
    Index lowest = -1;
    std::string name;
    for (ir::Array array = 0; array < field_.kernel().program().field_count(); ++array) {
        Index bad = field_.range(array).first_bad;
        if (bad < 0) continue;
        if (domain::row_count(domain) == 1) {
            std::vector<double> cells(core::at(domain::row_length(domain)));
            field_.kernel().read_row(field_.state(), array, 0, std::span<double>(cells));
            bad = field::first_in_file(domain, bad, [&](Index cell) { return !std::isfinite(cells[core::at(cell)]); });
        }
        if (lowest >= 0 && field::file_index(domain, bad) >= field::file_index(domain, lowest)) continue;
        lowest = bad;
        name = arrays[core::at(array)].name;
    }
    if (lowest < 0) {
        tested_ = step_;
        return std::nullopt;
    }
    const core::Moment good = {tested_, origin_ + static_cast<double>(tested_) * dt_};
    return Outcome{Verdict::diverged, now(),
                   "the field '" + name + "' stopped being finite between " + moment_text(good) + " and " + moment_text(now()) +
                       ", first in " + field::cell_text(domain, lowest) + infinite_number(),
                   tested_};
}

// Of the equations, since the fields were finite: "; in the equations D/k is inf", or nothing.
std::string Stepper::infinite_number() {
    const ir::Program& program = field_.kernel().program();
    if (program.phases) return "";  // what is bad in one cell is in every sum
    const Index first = in_kernel(tested_), steps = in_kernel(step_ - tested_);
    const backend::UniformTable numbers = uniforms_.rows(first, steps);
    for (Index step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
            if (!std::isfinite(numbers.row(step)[i]))
                return text_of_infinity(program, program.uniforms[i].code, uniforms_.inputs_of(first + step));
        }
    }
    return "";
}

bool Stepper::report() {
    if (core::seconds_since(reported_at_) < kReportSeconds) return true;
    const double cells = static_cast<double>(domain::cell_count(field_.kernel().domain()));
    const double updates = cells * static_cast<double>(step_ - reported_step_);
    const double rate = updates / std::max(seconds_ - reported_seconds_, 1e-9);
    reported_at_ = core::SteadyClock::now();
    reported_step_ = step_;
    reported_seconds_ = seconds_;
    return context_.observer.keep_going(now(), rate);
}

int index_of_parameter(const ir::Program& program, const std::string& name, double value) {
    if (const ir::Array map = program.find_array(name); map >= 0 && program.arrays[core::at(map)].kind == ir::ArrayInfo::Kind::input) {
        throw core::InputError("the parameter '" + name + "' is bound to a map; it cannot be changed to a number during a run");
    }
    const auto found = std::find(program.inputs.begin(), program.inputs.end(), name);
    const auto index = static_cast<int>(found - program.inputs.begin()),
               end = program.parameter_end.value_or(static_cast<int>(program.inputs.size()));
    const auto is_parameter = [](const std::string& input) { return input != "dt" && !ir::is_input_of_step(input); };
    if (index >= end || !is_parameter(name)) {
        std::vector<std::string> known;
        for (int i = 0; i < end; ++i) {
            const std::string& input = program.inputs[core::at(i)];
            if (is_parameter(input)) known.push_back(input);
        }
        throw core::InputError("unknown parameter '" + name + "'" + core::did_you_mean(name, known));
    }
    if (!std::isfinite(value))
        throw core::InputError("the parameter '" + name + "' cannot be " + core::number_text(value) + "; it must be finite");
    return index;
}

void Stepper::set_parameter(const std::string& name, double value) {
    uniforms_.set(index_of_parameter(field_.kernel().program(), name, value), value);
}

}  // namespace mottle::stepper
