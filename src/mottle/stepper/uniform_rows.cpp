// mottle/stepper/uniform_rows.cpp: the values of a Program's uniforms for the steps of a launch, and for the stages of which they are made
#include "mottle/stepper/uniform_rows.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <utility>

namespace mottle::stepper {
namespace {

constexpr Index kSteps = 32;  // evaluated at once

}  // namespace

UniformRows::UniformRows(const ir::Program& program, std::vector<double> inputs, double dt, int stages)
    : program_(program),
      inputs_(std::move(inputs)),
      dt_(dt),
      stages_(stages),
      time_(find("t")),
      key_(find(ir::key_input(0))),
      evaluator_(static_cast<int>(kSteps)) {
    const int step = find("dt");
    if (step >= 0) inputs_[core::at(step)] = dt;
    if (time_ >= 0) origin_ = input(time_);
    if (key_ >= 0) {
        std::copy_n(inputs_.begin() + key_, ir::kKeyParts, seed_.begin());
        keys_.resize(core::at(kSteps));
    }
    if (program.staged) find_stage_inputs();
    if (program.phases) find_phased();
    for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
        if (!program.uniforms[i].per_step) continue;
        timed_.push_back({i, program.uniforms[i].code});
        for (auto& instruction : timed_.back().code) {
            if (instruction.op == ir::Op::uniform && ir::is_input_of_step(program.inputs[core::at(instruction.index)]))
                instruction.op = ir::Op::load;
            const bool stays = instruction.op != ir::Op::load || stage_inputs_.empty() ||
                               (stage_inputs_[static_cast<std::size_t>(instruction.index)] &&
                                stage_inputs_[static_cast<std::size_t>(instruction.index)] != ir::StageInput::next);
            reads_time_ = reads_time_ || !stays;
        }
    }
}

int UniformRows::find(const std::string& name) const {
    auto found = std::find(program_.inputs.begin(), program_.inputs.end(), name);
    return found == program_.inputs.end() ? -1 : static_cast<int>(found - program_.inputs.begin());
}

void UniformRows::set(int index, double value) {
    inputs_[core::at(index)] = value;
    stale_ = true;
}

void UniformRows::set_origin(double time) {
    origin_ = time;
    stale_ = true;
}

void UniformRows::find_stage_inputs() {
    recursion_ = ir::legendre_step(*program_.staged, stages_);
    stage_inputs_.resize(program_.inputs.size());
    for (std::size_t i = 0; i < ir::kStageInputs.size(); ++i) {
        const int index = find(ir::kStageInputs[i]);
        if (index >= 0) stage_inputs_[static_cast<std::size_t>(index)] = static_cast<ir::StageInput>(i);
    }
}

double UniformRows::begin_of(Index step) const {
    if (recursion_.stages.empty()) return time_of(step);
    return time_of(step / stages_) + recursion_.stages[static_cast<std::size_t>(step % stages_)].begin * dt_;
}

double UniformRows::end_of(Index step) const { return begin_of(step + 1); }

double UniformRows::stage_value(ir::StageInput input, Index step) const {
    const Index place = step % stages_;
    const ir::LegendreStep::Stage& stage = recursion_.stages[static_cast<std::size_t>(place)];
    switch (input) {
        case ir::StageInput::share:
            return stage.share;
        case ir::StageInput::momentum:
            return stage.momentum;
        case ir::StageInput::weight:
            return recursion_.weight;
        case ir::StageInput::next:
            return end_of(step);
        case ir::StageInput::starts:
            return place == 0 ? 1 : 0;
        case ir::StageInput::ends:
            return place + 1 == stages_ ? 1 : 0;
    }
    throw core::InternalError("an input of a stage without a value");
}

void UniformRows::find_phased() {
    const int first = *program_.parameter_end;
    for (std::size_t i = 0; i < program_.uniforms.size(); ++i) {
        const ir::Code& code = program_.uniforms[i].code;
        const auto changes = [&](const ir::Instruction& in) {
            return in.op == ir::Op::uniform && (in.index >= first || ir::is_input_of_step(program_.inputs[core::at(in.index)]));
        };
        if (std::any_of(code.begin(), code.end(), changes)) phased_.push_back(i);
    }
}

backend::UniformTable UniformRows::phase_row(const ir::Phase& phase, Index step, std::span<const double> sums) {
    if (std::exchange(stale_, false)) constants_ = ir::evaluate_uniforms(program_, inputs_);
    const ir::Phases& phases = *program_.phases;
    const auto set = [this](int index, double value) { inputs_[core::at(index)] = value; };
    const double now = begin_of(step);
    // a phase of a stage has the time of its begin or of its end
    const auto moment = [&](double share) { return recursion_.stages.empty() ? now + share * dt_ : share == 0 ? now : end_of(step); };
    if (time_ >= 0) set(time_, moment(phase.time));
    if (phases.differ) {
        set(phases.differ->held, moment(phase.held));
        set(phases.differ->next, phase.ends ? end_of(step) : moment(phase.next));
    }
    if (phases.flush) set(*phases.flush, phase.ends && program_.is_seam(step, stages_) ? ir::kFlushBelow : 0);
    for (std::size_t i = 0; i < stage_inputs_.size(); ++i) {
        if (stage_inputs_[i]) inputs_[i] = stage_value(*stage_inputs_[i], step);
    }
    if (key_ >= 0) std::ranges::copy(ir::key_of_step(seed_, static_cast<std::uint64_t>(step)), inputs_.begin() + key_);
    for (std::size_t i = 0; i < sums.size(); ++i) set(phases.sums[i].input, sums[i]);
    for (std::size_t i = 0; i < phase.switches.size(); ++i) set(phases.differ->first_switch + static_cast<int>(i), phase.switches[i]);
    for (const std::size_t i : phased_) {
        const ir::Code& code = program_.uniforms[i].code;
        single_.run(
            code, [this](int index) { return input(index); }, [](const ir::Instruction&, std::span<double>) {});
        constants_[i] = single_.value(static_cast<ir::Value>(code.size()) - 1)[0];
    }
    return {constants_, static_cast<int>(constants_.size()), stages_};
}

backend::UniformTable UniformRows::rows(Index first, Index count) {
    if (std::exchange(stale_, false)) {
        constants_ = ir::evaluate_uniforms(program_, inputs_);
        filled_ = 0;
    }
    const int columns = static_cast<int>(program_.uniforms.size());
    if (timed_.empty()) return {constants_, columns, stages_};
    if (recursion_.stages.empty() || reads_time_) {
        fill_table(first, count);
        return {table_, columns, stages_};
    }
    // every step of the run has the same rows
    const Index place = first % stages_;
    if (place + count > filled_) {
        filled_ = place + count;
        fill_table(0, filled_);
    }
    return {std::span<const double>(table_).subspan(core::at(place * columns), core::at(count * columns)), columns, stages_};
}

backend::UniformTable UniformRows::row_within(Index step, double share) {
    within_ = share;
    const backend::UniformTable row = rows(step, 1);
    within_ = 0;
    return row;
}

std::vector<double> UniformRows::inputs_of(Index step) const {
    std::vector<double> inputs = inputs_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool of_stage = !stage_inputs_.empty() && stage_inputs_[i];
        if (static_cast<int>(i) == time_ || of_stage) fill(static_cast<int>(i), step, std::span(inputs).subspan(i, 1));
    }
    return inputs;
}

void UniformRows::fill_table(Index first, Index count) {
    table_.resize(core::at(count) * constants_.size());
    for (Index row = 0; row < count; ++row) {
        std::copy(constants_.begin(), constants_.end(), table_.begin() + row * static_cast<Index>(constants_.size()));
    }
    evaluate_timed(first, count);
}

void UniformRows::fill(int index, Index first, std::span<double> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Index step = first + static_cast<Index>(i);
        if (index == time_) {
            out[i] = begin_of(step);
        } else if (!stage_inputs_.empty() && stage_inputs_[core::at(index)]) {
            out[i] = stage_value(*stage_inputs_[core::at(index)], step);
        } else {
            out[i] = keys_[i][core::at(index - key_)];
        }
    }
}

void UniformRows::evaluate_timed(Index first, Index count) {
    for (Index begin = 0; begin < count; begin += kSteps) {
        auto fetch = [&](const ir::Instruction& in, std::span<double> out) { fill(in.index, first + begin, out); };
        const auto used = core::at(std::min(kSteps, count - begin));
        for (std::size_t i = 0; key_ >= 0 && i < used; ++i)
            keys_[i] = ir::key_of_step(seed_, static_cast<std::uint64_t>(first + begin) + i);
        for (const Timed& timed : timed_) {
            evaluator_.run(
                timed.code, [this](int i) { return input(i); }, fetch);
            const auto value = evaluator_.value(static_cast<ir::Value>(timed.code.size()) - 1);
            for (std::size_t i = 0; i < used; ++i) table_[(core::at(begin) + i) * constants_.size() + timed.column] = value[i];
        }
    }
}

}  // namespace mottle::stepper
