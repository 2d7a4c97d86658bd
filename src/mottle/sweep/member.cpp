// mottle/sweep/member.cpp: a member begins, is looked at, and begins anew
#include "mottle/sweep/member.h"

#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/tolerance.h"

#include <algorithm>
#include <utility>

namespace mottle::sweep {

Member::Member(backend::Kernel& kernel, run::Spec own, const run::Clock& clock, core::Context& context)
    : own_(std::move(own)), clock_(clock) {
    if (own_.tolerance) clock_ = run::clock_of(own_, kernel.program(), context.team);  // steps are its own
    begin_anew(kernel, context);
}

void Member::begin_anew(backend::Kernel& kernel, core::Context& context) {
    const auto inputs = run::input_values(kernel.program(), own_.model, own_.initial.seed);
    stepper_.reset();
    adaptive_.reset();
    field_.emplace(kernel, own_.model, own_.initial, context);
    if (own_.tolerance && clock_.steps > 0)
        adaptive_.emplace(*field_, inputs, clock_.dt, run::tolerance_of(own_, clock_), context);
    else
        stepper_.emplace(*field_, inputs, clock_.dt, context, clock_.stages);
    if (own_.steady) steady_.emplace(*field_, own_, clock_);
    if (clock_.automatic) watch_.emplace(own_, clock_, 0);
    outcome_ = {stepper::Verdict::reached, now(), {}};
    going_ = true;
}

stepper::Outcome Member::advance_to(Index step, Index most) {
    return adaptive_ ? adaptive_->advance_to(step) : stepper_->advance_to(step, most);
}

Index Member::next_stop(Index step) const { return watch_ && watch_->next() > now().step ? std::min(step, watch_->next()) : step; }

bool Member::settle(stepper::Outcome outcome, core::Context& context) {
    outcome_ = std::move(outcome);
    if (outcome_.verdict != stepper::Verdict::diverged) return false;
    going_ = false;
    if (!clock_.automatic) return false;
    backend::Kernel& kernel = field_->kernel();
    const run::Rerun rerun{[&] { return std::make_unique<field::Field>(kernel, own_.model, own_.initial, context); },
                           [&](field::Field& field, double dt) {
                               return std::make_unique<stepper::Stepper>(
                                   field, run::input_values(kernel.program(), own_.model, own_.initial.seed), dt, context, clock_.stages);
                           }};
    return !blow_up_.add(rerun, clock_.dt, outcome_) && shorten();
}

bool Member::look(bool at_end) {
    if (!watch_ || outcome_.verdict == stepper::Verdict::stopped) return false;
    const auto found = at_end ? watch_->look_at_end(now(), *field_) : watch_->look(now(), *field_);
    return found && shorten();
}

bool Member::shorten() {
    if (!run::halve(clock_)) return false;
    run::follow_dt(own_, clock_);
    return true;
}

void Member::rest(stepper::Verdict verdict) {
    outcome_ = {verdict, now(), {}};
    going_ = false;
}

}  // namespace mottle::sweep
