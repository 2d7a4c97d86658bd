// mottle/run/simulation.h: a simulation as one object: create, advance, look, change, write
#pragma once
#include "mottle/run/checkpoint.h"
#include "mottle/run/clock.h"
#include "mottle/run/drawing.h"
#include "mottle/run/spec.h"
#include "mottle/run/stability_watch.h"
#include "mottle/run/steady.h"
#include "mottle/run/timings.h"
#include "mottle/stepper/stepper.h"

#include <memory>
#include <optional>
#include <vector>

namespace mottle::run {

class Simulation {
   public:
    /// Lowers, chooses a schedule, compiles and sets the initial state. Throws: Error.
    Simulation(Spec spec, core::Context& context);
    ~Simulation();

    /// Goes on to `step`, which is not before now(), and writes nothing. Ends early where a field stops being finite, or the observer says stop.
    stepper::Outcome advance_to(Index step);
    /// The whole run with its outputs. On an error what was written so far is closed and kept.
    stepper::Outcome run_to_end();

    const Spec& spec() const { return spec_; }
    /// dt, the steps, and the limits of dt.
    const Clock& clock() const { return clock_; }
    double dt() const { return clock_.dt; }
    Index steps() const { return clock_.steps; }
    /// The step it went on from; 0 for a run from its initial state.
    Index first_step() const { return first_step_; }
    field::Field& field() { return *field_; }
    const field::Field& field() const { return *field_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::Backend& backend() const { return *backend_; }
    /// From the next step on; compiles nothing. Parameters, maps and directions of tensors that are made of this one stay as they were.
    /// Throws: InputError (no such parameter, a map, not finite).
    void set_parameter(const std::string& name, double value) { stepper_->set_parameter(name, value); }
    core::Moment now() const { return stepper_->now(); }
    Timings timings() const { return timings_; }
    /// What run_to_end has written: full paths.
    std::vector<std::filesystem::path> files() const;

   private:
    /// What the user said, else what was measured for this program, else nothing: the cost model.
    backend::Schedule schedule_for(const ir::Program& program) const;
    stepper::Outcome run_events(StabilityWatch& watch);
    void look(StabilityWatch& watch, bool at_end = false);
    void go_on_from(const std::filesystem::path& state);
    stepper::Outcome advance_saving(Index step);
    void save_state();
    void save_state_if_due();

    Spec spec_;
    core::Context& context_;
    SteadyClock::time_point start_;
    Clock clock_;
    Index first_step_ = 0;
    bool finished_ = false;  ///< the state stands at the end: only what is drawn of the end is left to do
    Identity identity_;      ///< for --checkpoint and --resume
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
