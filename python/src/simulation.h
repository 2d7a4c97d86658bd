// python/src/simulation.h: a simulation with the session that it works in
#pragma once
#include "mesh.h"
#include "session.h"

#include "mottle/frame/lit_surface.h"
#include "mottle/run/simulation.h"

#include <pybind11/numpy.h>

#include <memory>
#include <optional>
#include <string>

namespace mottle::python {

/// What a model is run with: the text of a document (None: a library model), where it is from, and the arguments as keys of files.
struct Request {
    pybind11::object text;
    std::string file, name, preset;
    pybind11::dict arguments, arrays;  ///< arrays: what given() stands for, float64
    std::shared_ptr<Mesh> mesh;        ///< what mesh = "given" stands for, or null
};

/// The arrays and the mesh of a request.
run::Given given_of(const Request& request);

class Simulation {
   public:
    Simulation(const Request& request, const pybind11::object& listener, const std::string& cache, bool whole);
    /// A forked process leaves what has threads be.
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    Session& session() { return *session_; }
    run::Simulation& run() { return *run_; }
    const run::Simulation& run() const { return *run_; }
    const field::Field& field() const { return std::as_const(*run_).field(); }
    const run::Spec& spec() const { return run_->spec(); }
    /// Shared by all pictures of a surface.
    std::shared_ptr<frame::SurfaceLight> light() const { return light_; }

    /// `n` steps; looks for divergence at the end of them if `look`, else every stepper::kTestInterval steps alone. Warns of a dt that is too long since
    /// something has changed before it looks, or before so many steps.
    void advance(core::Index n, bool look, pybind11::object progress);
    void set_parameter(const std::string& name, double value);
    void set_time_step(double dt);
    /// The limits of dt for the parameters as they are.
    const run::Clock& clock();
    /// `from`: of the shape of a field.
    void set_map(const std::string& name, const pybind11::array& from);
    /// The whole run with its outputs: the word for how it ended.
    std::string run_to_end(pybind11::object progress);
    /// Pixels. Shape: (height, width, 3), or 4 before a transparent background.
    pybind11::array draw(const pybind11::dict& keys);

   private:
    void note_change();
    void warn_of_dt();
    /// Throws what a run that ended so is to Python.
    void require_going_on(const stepper::Outcome& outcome) const;

    std::unique_ptr<Session> session_;
    std::unique_ptr<run::Simulation> run_;
    std::shared_ptr<frame::SurfaceLight> light_ = std::make_shared<frame::SurfaceLight>();
    std::optional<run::Clock> clock_;  ///< of the parameters as they are, where they have changed and it has been asked for
    bool changed_ = false;             ///< parameters or dt, ever
    bool warned_ = true;               ///< of a dt that is too long since they changed, if it is
    core::Index unwarned_ = 0;         ///< steps since then
};

void bind_simulation(pybind11::module_& module);

}  // namespace mottle::python
