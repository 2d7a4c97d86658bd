// mottle/run/simulation.h: a simulation as one object: create, advance, look, change, write
#pragma once
#include "mottle/run/watch/blow_up.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/drawing.h"
#include "mottle/run/settings/spec.h"
#include "mottle/run/watch/stability_watch.h"
#include "mottle/run/watch/steady.h"
#include "mottle/run/watch/timings.h"
#include "mottle/stepper/stepper.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mottle::run {

/// A time step that was too long, for which the run was begun anew with half of it.
struct Shortening {
    double dt = 0;    ///< that was too long
    core::Moment at;  ///< where that was seen
    std::string why;
};

class Simulation {
   public:
    /// Lowers, chooses a schedule, compiles and sets the initial state. `backend`: what compiles, in place of that of spec.device. Throws: Error.
    Simulation(Spec spec, core::Context& context, std::unique_ptr<backend::Backend> backend = nullptr);
    ~Simulation();

    /// Goes on to `step`, which is not before now() and may lie beyond steps(), and writes nothing. Ends early where a field stops being finite, where the observer
    /// says stop, and after `most` steps, to be called again with the same `step`: fields are tested at the same steps then as by one call.
    stepper::Outcome advance_to(Index step, Index most = stepper::kAnyNumber);
    /// Takes the fields that `before` has by the same names in place of the start, at the step of this run whose time is nearest to that of `before`. Fields that
    /// `before` lacks keep their start. That is how equations, borders, methods and precisions change while a run goes on.
    /// Throws: InputError unless both runs have the same cells.
    void take_over(const Simulation& before);
    /// From the next step on; compiles nothing. The run stands at the step whose time, n dt, is nearest to the present one. `dt` is not checked against stable_dt.
    /// Throws: InputError (not a positive number).
    void set_time_step(double dt);
    /// The fields have been put back (or forward) to those of `step`.
    void stand_at(Index step);
    /// The whole run with its outputs. On an error what was written so far is closed and kept. Where dt is automatic and turns out to be too long (StabilityWatch
    /// finds waves that grow and should decay, or a field stops being finite), the run begins anew with half of it, and so do its outputs: frames stay at
    /// their times, steps() doubles. That does not happen where the caller has advanced or asked for a field() to change: what the start was is not known then.
    stepper::Outcome run_to_end();
    /// The steps that run_to_end found to be too long, in this order.
    const std::vector<Shortening>& shortenings() const { return shortenings_; }
    /// Of a run that diverged: that no step helps, since the equations blow up; else "".
    const std::string& blow_up() const { return blow_up_text_; }

    const Spec& spec() const { return spec_; }
    /// dt, the steps, and the limits of dt.
    const Clock& clock() const { return clock_; }
    double dt() const { return clock_.dt; }
    Index steps() const { return clock_.steps; }
    /// The step it went on from; 0 for a run from its initial state.
    Index first_step() const { return first_step_; }
    field::Field& field() {
        touched_ = true;
        return *field_;
    }
    const field::Field& field() const { return *field_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::Backend& backend() const { return *backend_; }
    /// From the next step on; compiles nothing. Parameters, maps and directions of tensors that are made of this one stay as they were.
    /// Throws: InputError (no such parameter, a map, not finite).
    void set_parameter(const std::string& name, double value);
    core::Moment now() const { return stepper_->now(); }
    Timings timings() const { return timings_; }
    /// What run_to_end has written: full paths.
    std::vector<std::filesystem::path> files() const;

   private:
    /// What the user said, else what was measured for this program, else nothing: the cost model.
    backend::Schedule schedule_for(const ir::Program& program) const;
    /// The run from where it stands to its end, or to where dt is seen to be too long: then `found_` says so.
    stepper::Outcome attempt(StabilityWatch& watch);
    stepper::Outcome run_events(StabilityWatch& watch);
    /// Looks where that is due; true if the run is to begin anew.
    bool look(StabilityWatch& watch, bool at_end = false);
    void open_outputs();
    void conclude(const stepper::Outcome& outcome);
    /// Puts the start back, with the dt of the clock.
    void begin_anew();
    /// Why this attempt is not to be kept, or nothing.
    std::optional<std::string> fault_of(const stepper::Outcome& outcome);
    std::unique_ptr<stepper::Stepper> stepper_of(field::Field& field) const;
    /// A new stepper at the step whose time is nearest to `time`.
    void go_on_at_time(double time);
    bool shorten(const std::string& why, core::Moment at);
    void go_on_from(const std::filesystem::path& state);
    /// With a file of all frames: it keeps those from before the state, if they are there. Throws: InputError.
    void go_on_with(const Output& output, const Standing& standing);
    /// Removes what killed runs have left of the files that this one writes, and says so.
    void clear_orphans();
    stepper::Outcome advance_saving(StabilityWatch& watch, Index step);
    void save_state();
    void save_state_if_due();

    Spec spec_;
    core::Context& context_;
    SteadyClock::time_point start_;
    Clock clock_;
    bool touched_ = false;  ///< somebody else may have changed the fields
    bool may_begin_anew_ = false;
    std::optional<std::string> found_;  ///< by the watch, of a run that is to begin anew
    std::vector<Shortening> shortenings_;
    BlowUp blow_up_;
    std::string blow_up_text_;
    std::vector<std::pair<std::string, double>> changed_;  ///< parameters
    Index first_step_ = 0;
    FramesOfFiles frames_kept_;  ///< from before that step
    bool finished_ = false;      ///< the state stands at the end: only what is drawn of the end is left to do
    Identity identity_;          ///< for --checkpoint and --resume
    SteadyClock::time_point saved_at_;
    Timings timings_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<field::Field> field_;
    std::unique_ptr<stepper::Stepper> stepper_;
    std::optional<Drawing> drawing_;
    std::optional<SteadyTest> steady_;  ///< --until
};

/// The device of a schedule's key: what was asked for and what a backend that has compiled nothing yet calls itself.
std::string device_text(const Spec& spec, const backend::Backend& backend);

}  // namespace mottle::run
