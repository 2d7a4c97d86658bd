// mottle/stepper/together.cpp: several fields of one kernel, advanced in the same launches
#include "mottle/stepper/together.h"

#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::stepper {

std::vector<Outcome> advance_together(std::span<Stepper* const> steppers, Index step, Index most) {
    ir::require_default_mode();
    std::vector<Outcome> outcomes;
    for (const Stepper* stepper : steppers) outcomes.push_back({Verdict::reached, stepper->now(), {}});
    std::vector<std::size_t> going;
    for (std::size_t i = 0; i < steppers.size(); ++i) {
        const Stepper &one = *steppers[i], &first = *steppers[0];
        if (&one.field_.kernel() != &first.field_.kernel() || one.step_ != first.step_)
            throw core::InternalError("fields that advance together have one kernel and stand at one step");
        if (step < one.step_)
            throw core::InternalError("cannot advance back from step " + std::to_string(one.step_) + " to " + std::to_string(step));
        going.push_back(i);
    }
    std::vector<backend::Advance> launch;
    for (Index left = most; left > 0 && !going.empty() && steppers[going[0]]->step_ < step;) {
        const Index steps = steppers[going[0]]->steps_to_look(step);
        Index count = std::min(steps, left);
        for (const std::size_t i : going) count = std::min(count, steppers[i]->launch_steps_);
        left -= count;
        launch.clear();
        const ir::Program& program = steppers[0]->field_.kernel().program();
        const bool phased = program.phases.has_value() || !program.solver().empty();
        for (const std::size_t i : going) {
            if (!phased) launch.push_back(steppers[i]->begin_launch(count));
        }
        const auto began = core::SteadyClock::now();
        if (phased) {
            for (const std::size_t i : going) steppers[i]->launch_step_by_step(count);
        } else {
            steppers[0]->field_.kernel().advance_all(launch);
        }
        const double seconds = core::seconds_since(began);
        bool goes_on = true;
        for (const std::size_t i : going) {
            steppers[i]->end_launch(count, seconds / static_cast<double>(going.size()), seconds);
            goes_on = steppers[i]->report() && goes_on;
            outcomes[i] = {Verdict::reached, steppers[i]->now(), {}};
        }
        if (count == steps || !goes_on) {
            std::erase_if(going, [&](std::size_t i) {
                std::optional<Outcome> diverged = steppers[i]->find_divergence();
                if (diverged) outcomes[i] = std::move(*diverged);
                return diverged.has_value();
            });
        }
        if (goes_on) continue;
        for (const std::size_t i : going) outcomes[i].verdict = Verdict::stopped;
        break;
    }
    return outcomes;
}

}  // namespace mottle::stepper
