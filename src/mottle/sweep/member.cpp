// mottle/sweep/member.cpp: a member begins, is looked at, and begins anew
#include "mottle/sweep/member.h"

#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/stages.h"
#include "mottle/run/settings/tolerance.h"

#include <utility>

namespace mottle::sweep {

Member::Member(backend::Kernel& kernel, run::Spec own, const run::Clock& clock, core::Context& context)
    : own_(std::move(own)), clock_(clock) {
    if (own_.tolerance) clock_ = run::clock_of(own_, kernel.program(), context.team);  // steps are its own
    begin_anew(kernel, context);
}

void Member::begin_anew(backend::Kernel& kernel, core::Context& context) {
    integrator_.reset();
    field_.emplace(kernel, own_.model, own_.initial, context);
    integrator_ = run::integrator_of(*field_, own_, clock_, context);
    if (own_.steady) steady_.emplace(*field_, own_, clock_);
    if (run::may_shorten(clock_)) watch_.emplace(own_, clock_, 0);
    outcome_ = {stepper::Verdict::reached, now(), {}};
    going_ = true;
}

bool Member::settle(stepper::Outcome outcome, core::Context& context) {
    outcome_ = std::move(outcome);
    if (outcome_.verdict != stepper::Verdict::diverged) return false;
    going_ = false;
    if (!run::may_shorten(clock_)) return false;
    const auto start = [&] { return std::make_unique<field::Field>(field_->kernel(), own_.model, own_.initial, context); };
    return !blow_up_.add({start, own_, clock_, context}, outcome_) && run::halve(own_, clock_);
}

bool Member::look(bool at_end) {
    if (!watch_ || outcome_.verdict == stepper::Verdict::stopped) return false;
    return watch_->look(now(), *field_, at_end) && run::halve(own_, clock_);
}

void Member::rest(stepper::Verdict verdict) {
    outcome_ = {verdict, now(), {}};
    going_ = false;
}

}  // namespace mottle::sweep
