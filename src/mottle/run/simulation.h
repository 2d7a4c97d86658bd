// mottle/run/simulation.h: a simulation as one object: create, advance, look, change, write
#pragma once
#include "mottle/run/watch/blow_up.h"
#include "mottle/run/checkpoint.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/parameter_change.h"
#include "mottle/run/drawing.h"
#include "mottle/run/settings/spec.h"
#include "mottle/run/watch/stability_watch.h"
#include "mottle/run/steady_state.h"
#include "mottle/run/watch/steady.h"
#include "mottle/run/watch/timings.h"
#include "mottle/stepper/stepper.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mottle::run {

class Simulation {
   public:
    /// Lowers, chooses a schedule, compiles and sets the initial state. `backend`: what compiles, in place of that of spec.device. Throws: Error.
    Simulation(Spec spec, core::Context& context, std::unique_ptr<backend::Backend> backend = nullptr);
    ~Simulation();

    /// Advances to `step`, which is not before now() and may lie beyond steps(), and writes nothing. Ends early if a field stops being finite or the observer asks
    /// for a stop, and after `most` steps, to be called again with the same `step`, which tests for divergence at the same steps as one call would.
    stepper::Outcome advance_to(Index step, Index most = stepper::kAnyNumber);
    /// Copies the fields of `before` that have the same names here, in place of the initial state, and continues at its step and time. Fields that `before` lacks keep their initial
    /// state. So equations, boundaries, methods and precisions can change during a run. Throws: InputError unless both runs have the same cells.
    void take_over(const Simulation& before);
    /// Takes effect with the next step, without compiling; step and time go on, and steps() becomes the step at the planned end. A method of many stages takes as many as dt and the
    /// parameters need now. Throws: InputError (not a positive number, no number of stages is stable).
    void set_time_step(double dt);
    /// Tells the run that its fields have been set to those of `step`, where the time of step 0 is `origin`. `steps`: another planned end. Throws: InputError (below 0, or
    /// not to be counted).
    void stand_at(Index step, double origin = 0, std::optional<Index> steps = std::nullopt);
    /// The time of step 0 by the present dt: not 0 where dt has been changed.
    double origin() const { return origin_; }
    /// The whole run with its outputs. On an error, the output files are closed and keep what was written so far. If dt is automatic and proves too long (StabilityWatch
    /// finds growing waves that should decay, or a field stops being finite), the run and its outputs restart with half of it: frames stay at
    /// their times, and steps() doubles. It does not restart after the caller has called advance_to or the non-const field(), because the initial state is then unknown.
    stepper::Outcome run_to_end();
    /// The time steps that run_to_end found to be too long, in order.
    const std::vector<Shortening>& shortenings() const { return shortenings_; }
    /// If the run diverged because its equations blow up at any time step: a sentence that says so; else "".
    const std::string& blow_up() const { return blow_up_text_; }

    /// With parameters as they are now.
    const Spec& spec() const { return spec_; }
    /// dt, the steps, and the limits of dt for the parameters that the run began with.
    const Clock& clock() const { return clock_; }
    /// The limits of dt for the parameters as they are now; a dt that is too long for them has a notice.
    Clock clock_now() const;
    double dt() const { return clock_.dt; }
    Index steps() const { return clock_.steps; }
    /// The step from which the run was resumed; 0 if it started from the initial state.
    Index first_step() const { return first_step_; }
    field::Field& field() {
        touched_ = handed_out_ = true;
        return *field_;
    }
    const field::Field& field() const { return *field_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::Backend& backend() const { return *backend_; }
    /// Takes effect with the next step, without compiling, and so do parameters and maps that are computed from this one, and the number of stages where that is chosen; fields and
    /// dt stay as they are.
    /// Throws: InputError (no such parameter, a map, not finite; a region or tensor of a surface follows it). Then nothing has changed.
    void set_parameter(const std::string& name, double value);
    /// The same for a map. Throws: InputError, as change_map.
    void set_map(const std::string& name, std::shared_ptr<const std::vector<double>> values);
    core::Moment now() const { return integrator_->now(); }
    /// With --tolerance: what the steps have come to. now() and steps() count moments then, which are dt() apart. Else null.
    const stepper::AccuracyRecord* accuracy() const { return integrator_->accuracy(); }
    /// With --until steady=newton: the last search for a steady state. Else null, and before the first.
    const SteadySearch* steady_search() const { return search_ ? &*search_ : nullptr; }
    Timings timings() const { return timings_; }
    /// What run_to_end has written: full paths.
    std::vector<std::filesystem::path> files() const;

   private:
    /// The schedule that the user gave, else the one that `mottle tune` stored for this program, else an open one for the cost model.
    backend::Schedule schedule_for(const ir::Program& program) const;
    /// Runs from the current step to the end, or until dt is found to be too long; `found_` then gives the reason.
    stepper::Outcome attempt(StabilityWatch& watch);
    /// After an output could not be written: the others and the saved state.
    void keep_what_can_be_written() noexcept;
    class Events;
    stepper::Outcome go_through_events(StabilityWatch& watch);
    /// Newton's method from the fields as they are: true if they are a steady state now. Else the run goes on to a tenth of the tolerance. Nothing: it was interrupted.
    std::optional<bool> find_steady_state();
    stepper::Verdict verdict_at_rest() const;
    /// Lets the watch examine the fields if it is due; true if the run has to restart.
    bool look(StabilityWatch& watch, bool at_end = false);
    void open_outputs();
    void conclude(const stepper::Outcome& outcome);
    /// Restores the initial state, with the dt of the clock.
    void begin_anew();
    std::unique_ptr<field::Field> initial_field() const;
    void change(ParameterChange change);
    /// Throws: InputError in an observer that is asked while the run advances.
    void require_idle() const;
    void fill_maps(field::Field& field, const std::vector<ir::Array>& maps) const;
    /// Why this attempt must be discarded, or nothing.
    std::optional<std::string> fault_of(const stepper::Outcome& outcome);
    /// A new integrator at this step and time. `end`: the planned one.
    void go_on_from(core::Moment at, double end);
    bool shorten(const std::string& why, core::Moment at);
    void go_on_from(const std::filesystem::path& state);
    stepper::Outcome advance_saving(StabilityWatch& watch, Index step);
    void save_state();
    Rest rest_of(const stepper::Outcome& outcome) const;
    Drawing::End end_of(const stepper::Outcome& outcome) const;
    Index steps_to_save_point() const;
    bool is_save_due() const;
    bool is_finite() const;

    Spec spec_;
    core::Context& context_;
    SteadyClock::time_point start_;
    Clock clock_;
    bool touched_ = false;     ///< the caller may have changed the fields
    bool handed_out_ = false;  ///< since the last step
    bool advancing_ = false;
    bool may_begin_anew_ = false;
    std::optional<std::string> found_;  ///< why the watch wants the run to restart
    std::vector<Shortening> shortenings_;
    BlowUp blow_up_;
    std::string blow_up_text_;
    std::optional<model::Model> begun_with_;  ///< before parameters changed: what the initial state is made of
    Index first_step_ = 0;
    double origin_ = 0;
    std::optional<double> end_;  ///< the planned one, where dt has been changed
    KeptFrames frames_kept_;     ///< from before that step
    Standing resumed_;           ///< of the state from which the run goes on
    bool finished_ = false;      ///< the state that was resumed is already the last one: only the outputs of the final state are written
    std::optional<Rest> rest_;   ///< how the run has ended
    Identity identity_;          ///< for --checkpoint and --resume
    SteadyClock::time_point saved_at_;
    Timings timings_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<field::Field> field_;
    std::unique_ptr<stepper::Integrator> integrator_;
    std::optional<Drawing> drawing_;
    std::optional<SteadyTest> steady_;  ///< --until
    std::optional<SteadySearch> search_;
};

}  // namespace mottle::run
