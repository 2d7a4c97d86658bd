// mottle/sweep/member.h: one run of a sweep, and the time step that it has come to
#pragma once
#include "mottle/run/watch/blow_up.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/watch/stability_watch.h"
#include "mottle/run/watch/steady.h"
#include "mottle/stepper/stepper.h"
#include "mottle/sweep/spec.h"

#include <memory>
#include <optional>

namespace mottle::sweep {

/// Where dt is automatic, a member halves it as its own run would (run::Simulation): what the others plan at a step is due at that step times 2^halvings.
class Member {
   public:
    /// `own`: the run that this member is. `clock`: of the sweep.
    Member(backend::Kernel& kernel, run::Spec own, const run::Clock& clock, core::Context& context);

    field::Field& field() { return *field_; }
    stepper::Integrator& integrator() { return *integrator_; }
    core::Moment now() const { return integrator_->now(); }
    /// Steps of the fields: those of the clock, or as many as a tolerance asked for.
    Index steps_made() const { return integrator_->accuracy() ? integrator_->accuracy()->steps : outcome_.at.step; }
    std::optional<run::SteadyTest>& steady() { return steady_; }
    const run::Clock& clock() const { return clock_; }
    const stepper::Outcome& outcome() const { return outcome_; }
    /// The step that the sweep calls `planned`.
    Index step_of(Index planned) const { return planned << clock_.halvings; }
    /// Whether it goes on: it has not diverged, and has not come to rest.
    bool going() const { return going_; }

    /// The next step at which to stop on the way to `step`: there dt is looked at.
    Index next_stop(Index step) const { return watch_ ? watch_->next_stop(now().step, step) : step; }
    /// What the steps to here have come to. True if dt is seen to be too long and has been halved: begin_anew is next.
    bool settle(stepper::Outcome outcome, core::Context& context);
    /// Looks where that is due, or at the end. True as settle.
    bool look(bool at_end = false);
    /// Puts the start back, with the dt of the clock.
    void begin_anew(backend::Kernel& kernel, core::Context& context);
    /// It has come to rest, or to what --until calls that.
    void rest(stepper::Verdict verdict);

   private:
    run::Spec own_;
    run::Clock clock_;
    std::optional<run::StabilityWatch> watch_;  ///< where dt is automatic
    run::BlowUp blow_up_;
    std::optional<field::Field> field_;
    std::unique_ptr<stepper::Integrator> integrator_;
    std::optional<run::SteadyTest> steady_;
    stepper::Outcome outcome_;
    bool going_ = true;
};

}  // namespace mottle::sweep
