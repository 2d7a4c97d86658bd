// mottle/run/simulation.h: a simulation as one object: create, advance, look, change, write
#pragma once
#include "mottle/run/spec.h"
#include "mottle/run/timeline.h"
#include "mottle/stepper/stepper.h"

#include <memory>
#include <vector>

namespace mottle::run {

struct Timings {
    double compile = 0, initial = 0, simulate = 0, draw = 0, encode = 0, total = 0;  ///< wall seconds
};

class Simulation {
   public:
    /// Lowers, chooses a schedule, compiles and sets the initial state. Throws: Error.
    Simulation(Spec spec, core::Context& context);
    ~Simulation();

    stepper::Outcome advance_to(Index step);
    /// The whole run with its outputs.
    stepper::Outcome run_to_end();

    const Spec& spec() const { return spec_; }
    double dt() const { return dt_; }
    Index steps() const { return steps_; }
    field::Field& field() { return *field_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::Backend& backend() const { return *backend_; }
    void set_parameter(const std::string& name, double value) { stepper_->set_parameter(name, value); }
    core::Moment now() const { return stepper_->now(); }
    Timings timings() const { return timings_; }
    std::vector<std::filesystem::path> files() const;

   private:
    Spec spec_;
    core::Context& context_;
    double dt_ = 0;
    Index steps_ = 0;
    Timings timings_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<field::Field> field_;
    std::unique_ptr<stepper::Stepper> stepper_;
    std::vector<std::unique_ptr<output::Sink>> sinks_;
};

}  // namespace mottle::run
