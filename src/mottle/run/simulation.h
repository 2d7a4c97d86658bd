// mottle/run/simulation.h: a simulation as one object: create, advance, look, change, write
#pragma once
#include "mottle/run/range_watch.h"
#include "mottle/run/spec.h"
#include "mottle/run/steady.h"
#include "mottle/run/timeline.h"
#include "mottle/stepper/stepper.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace mottle::run {

/// Wall seconds. `encode` runs beside the rest in the sinks' own threads; `total` is from the constructor to the end of run_to_end.
struct Timings {
    double compile = 0, initial = 0, simulate = 0, draw = 0, encode = 0, total = 0;
};

class Simulation {
   public:
    /// Lowers, chooses a schedule, compiles and sets the initial state. Throws: Error.
    Simulation(Spec spec, core::Context& context);
    ~Simulation();

    stepper::Outcome advance_to(Index step);
    /// The whole run with its outputs. On an error what was written so far is closed and kept.
    stepper::Outcome run_to_end();

    const Spec& spec() const { return spec_; }
    double dt() const { return dt_; }
    /// A dt that the explicit method can take (0.9 of its limit); infinity if nothing bounds it.
    double stable_dt() const { return stable_dt_; }
    Index steps() const { return steps_; }
    /// The step it went on from; 0 for a run from its initial state.
    Index first_step() const { return first_step_; }
    field::Field& field() { return *field_; }
    const field::Field& field() const { return *field_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::Backend& backend() const { return *backend_; }
    void set_parameter(const std::string& name, double value) { stepper_->set_parameter(name, value); }
    core::Moment now() const { return stepper_->now(); }
    Timings timings() const { return timings_; }
    /// What run_to_end has written: full paths.
    std::vector<std::filesystem::path> files() const;

   private:
    /// What the user said, else what was measured for this program, else nothing: the cost model.
    backend::Schedule schedule_for(const ir::Program& program) const;
    void open_sinks(const Timeline& timeline);
    void draw(const Timeline& timeline, Index step);
    void close_sinks(const stepper::Outcome& outcome);
    stepper::Outcome run_events(const Timeline& timeline);
    void require_own_file() const;
    void go_on_from(const std::filesystem::path& state);
    stepper::Outcome advance_saving(Index step);
    void save_state();
    void save_state_if_due();

    Spec spec_;
    core::Context& context_;
    std::chrono::steady_clock::time_point start_;
    double dt_ = 0, stable_dt_ = 0;
    Index steps_ = 0, first_step_ = 0;
    std::chrono::steady_clock::time_point saved_at_;
    Timings timings_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<field::Field> field_;
    std::unique_ptr<stepper::Stepper> stepper_;
    std::vector<std::unique_ptr<output::Sink>> sinks_;
    RangeWatch range_watch_;
    std::optional<SteadyTest> steady_;  ///< --until
};

/// The device of a schedule's key: what was asked for and what a backend that has compiled nothing yet calls itself.
std::string device_text(const Spec& spec, const backend::Backend& backend);

}  // namespace mottle::run
