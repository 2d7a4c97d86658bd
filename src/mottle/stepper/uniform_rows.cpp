// mottle/stepper/uniform_rows.cpp: the values of a Program's uniforms for the steps of a launch
#include "mottle/stepper/uniform_rows.h"

#include <algorithm>
#include <utility>

namespace mottle::stepper {
namespace {

constexpr Index kSteps = 32;  // evaluated at once

}  // namespace

UniformRows::UniformRows(const ir::Program& program, std::vector<double> inputs, double dt)
    : program_(program), inputs_(std::move(inputs)), dt_(dt), evaluator_(static_cast<int>(kSteps)) {
    const int time = find("t"), step = find("dt");
    if (step >= 0) inputs_[static_cast<std::size_t>(step)] = dt;
    if (time >= 0) start_ = input(time);
    for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
        if (!program.uniforms[i].per_step) continue;
        timed_.push_back({i, program.uniforms[i].code});
        for (auto& instruction : timed_.back().code) {
            if (instruction.op == ir::Op::uniform && instruction.index == time) instruction.op = ir::Op::load;
        }
    }
}

int UniformRows::find(const std::string& name) const {
    auto found = std::find(program_.inputs.begin(), program_.inputs.end(), name);
    return found == program_.inputs.end() ? -1 : static_cast<int>(found - program_.inputs.begin());
}

void UniformRows::set(int index, double value) {
    inputs_[static_cast<std::size_t>(index)] = value;
    stale_ = true;
}

backend::UniformTable UniformRows::rows(Index first, Index count) {
    if (std::exchange(stale_, false)) constants_ = ir::evaluate_uniforms(program_, inputs_);
    const int columns = static_cast<int>(program_.uniforms.size());
    if (timed_.empty()) return {constants_, columns};
    table_.resize(static_cast<std::size_t>(count) * constants_.size());
    for (Index row = 0; row < count; ++row) {
        std::copy(constants_.begin(), constants_.end(), table_.begin() + row * static_cast<Index>(constants_.size()));
    }
    evaluate_timed(first, count);
    return {table_, columns};
}

void UniformRows::evaluate_timed(Index first, Index count) {
    for (Index begin = 0; begin < count; begin += kSteps) {
        auto times = [&](const ir::Instruction&, std::span<double> out) {
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = start_ + static_cast<double>(first + begin + static_cast<Index>(i)) * dt_;
        };
        const auto used = static_cast<std::size_t>(std::min(kSteps, count - begin));
        for (const Timed& timed : timed_) {
            evaluator_.run(
                timed.code, [this](int i) { return input(i); }, times);
            const auto value = evaluator_.value(static_cast<ir::Value>(timed.code.size()) - 1);
            for (std::size_t i = 0; i < used; ++i)
                table_[(static_cast<std::size_t>(begin) + i) * constants_.size() + timed.column] = value[i];
        }
    }
}

}  // namespace mottle::stepper
