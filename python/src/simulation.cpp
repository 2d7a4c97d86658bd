// python/src/simulation.cpp: what a simulation does and says
#include "simulation.h"

#include "arrays.h"
#include "document.h"
#include "errors.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/frame/canvas.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/outputs.h"
#include "mottle/run/settings/read_spec.h"

#include <pybind11/stl.h>

namespace mottle::python {

namespace py = pybind11;

constexpr core::Index kStepsToWarn = 64;

run::Given given_of(const Request& request) {
    run::Given given;
    for (const auto& [name, values] : request.arrays) {
        using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
        given.arrays[name.cast<std::string>()] = std::make_shared<const std::vector<double>>(vector_of(values.cast<Doubles>()));
    }
    if (request.mesh) given.mesh = request.mesh->soup();
    return given;
}

Simulation::Simulation(const Request& request, const py::object& listener, const std::string& cache, bool whole) {
    const core::Node document = document_of(request.text, request.file, request.name), keys = node_of_arguments(request.arguments);
    const run::Given given = given_of(request);
    std::optional<run::Spec> spec;
    Session reading(1, listener, cache);
    reading.call_aside([&] { spec = run::read_spec(document, request.name, request.preset, keys, given); });
    if (!whole) run::keep_to_steps(*spec);
    session_ = std::make_unique<Session>(spec->threads, listener, cache);
    session_->call_aside([&] { run_ = std::make_unique<run::Simulation>(std::move(*spec), session_->context()); });
}

Simulation::~Simulation() {
    if (session_ && session_->is_orphan()) static_cast<void>(run_.release());
}

void Simulation::require_going_on(const stepper::Outcome& outcome) const {
    if (outcome.verdict == stepper::Verdict::stopped) throw core::Interrupted();
    if (outcome.verdict != stepper::Verdict::diverged) return;
    std::string message = "diverged: " + outcome.why + "; " +
                          (run_->blow_up().empty() ? run::advice_on_divergence(changed_ ? run_->clock_now() : std::as_const(*run_).clock())
                                                   : run_->blow_up());
    std::vector<std::string> files;
    for (const auto& file : run_->files()) files.push_back(file.string());
    if (!files.empty()) message += "; the frames before it are kept in " + files.front();
    throw_diverged(message, outcome.at.step, files);
}

void Simulation::advance(core::Index n, bool look, py::object progress) {
    if (n < 0) throw core::InputError("a simulation cannot advance by " + core::grouped(n) + " steps; it goes forward");
    if (n > run::kMostSteps - run_->now().step) throw core::InputError("more steps than can be counted; there are at most 2^53");
    session_->set_progress(std::move(progress));
    stepper::Outcome outcome;
    session_->call([&] {
        unwarned_ += n;
        if (!warned_ && (look || unwarned_ >= kStepsToWarn)) warn_of_dt();
        const core::Index to = run_->now().step + n;
        outcome = look ? run_->advance_to(to) : run_->advance_to(to + stepper::kTestInterval, n);
    });
    require_going_on(outcome);
}

void Simulation::set_parameter(const std::string& name, double value) {
    session_->call([&] { run_->set_parameter(name, value); });
    note_change();
}

void Simulation::set_time_step(double dt) {
    session_->call([&] { run_->set_time_step(dt); });
    note_change();
}

// In a loop that changes something before every few steps, the steps since the last warning count.
void Simulation::note_change() {
    if (warned_) unwarned_ = 0;
    changed_ = true;
    warned_ = false;
    clock_.reset();
}

const run::Clock& Simulation::clock() {
    if (!changed_) return std::as_const(*run_).clock();
    if (!clock_) clock_ = run_->clock_now();
    return *clock_;
}

void Simulation::warn_of_dt() {
    warned_ = true;
    for (const std::string& notice : clock().notices) {
        if (notice.starts_with("warning: ")) session_->context().observer.notice(notice);
    }
}

void Simulation::set_map(const std::string& name, const py::array& from) {
    using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
    require_shape(spec().domain, from, "the array");
    auto values = std::make_shared<const std::vector<double>>(vector_of(from.cast<Doubles>()));
    session_->call([&] { run_->set_map(name, std::move(values)); });
    note_change();
}

std::string Simulation::run_to_end(py::object progress) {
    session_->set_progress(std::move(progress));
    stepper::Outcome outcome;
    session_->call_aside([&] { outcome = run_->run_to_end(); });
    require_going_on(outcome);
    return stepper::word_of(outcome.verdict);
}

py::array Simulation::draw(const py::dict& keys) {
    const run::Output picture = run::read_picture(spec().picture, node_of_arguments(keys), spec().model, spec().domain);
    using Format = backend::Picture::Format;
    const frame::Style& style = picture.sink.style;
    Format format = frame::still_format(style, spec().domain);
    if (format == Format::index) format = Format::rgb24;
    std::vector<std::uint8_t> pixels;
    std::array<int, 2> size{};
    session_->call_aside([&] {
        frame::Canvas canvas(style, field(), picture.sink.declared_range, format, 0, light_, session_->context());
        size = canvas.size();
        pixels.resize(canvas.bytes());
        canvas.draw(field(), pixels);
    });
    const py::ssize_t channels = format == Format::rgba32 ? 4 : 3;
    return py::array_t<std::uint8_t>({py::ssize_t{size[1]}, py::ssize_t{size[0]}, channels}, pixels.data());
}

namespace {

py::dict statistics_of(Simulation& simulation, const std::string& name) {
    backend::Statistics s;
    const ir::Array array = simulation.field().find(name);
    simulation.session().call([&] { s = simulation.field().statistics(array); });
    py::dict out;
    out["min"] = s.min;
    out["max"] = s.max;
    out["mean"] = s.mean;
    out["std"] = s.std;
    return out;
}

/// The array of a field or of a map. Throws: InputError.
ir::Array array_of(const Simulation& simulation, const std::string& name) {
    const ir::Program& program = simulation.run().kernel().program();
    const ir::Array array = program.find_array(name);
    const bool map = array >= 0 && program.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::input;
    return map ? array : simulation.field().find(name);
}

/// What each state of the run and each map holds: name and whether it is a map.
std::vector<std::pair<std::string, bool>> arrays_of(const Simulation& simulation) {
    std::vector<std::pair<std::string, bool>> arrays;
    const ir::Program& program = simulation.run().kernel().program();
    for (std::size_t i = 0; i < program.arrays.size(); ++i) {
        const bool map = program.arrays[i].kind == ir::ArrayInfo::Kind::input;
        if (map || static_cast<int>(i) < program.field_count()) arrays.emplace_back(program.arrays[i].name, map);
    }
    return arrays;
}

/// What the steps came to that follow a tolerance; None where none does.
py::object accuracy_of(const Simulation& simulation) {
    const stepper::AccuracyRecord* record = simulation.run().accuracy();
    if (!record) return py::none();
    py::dict accuracy;
    accuracy["tolerance"] = *simulation.spec().tolerance;
    accuracy["steps"] = record->steps;
    accuracy["evaluations"] = record->evaluations;
    accuracy["stretches"] = record->stretches;
    accuracy["rejected"] = record->rejected;
    accuracy["lost"] = record->lost;
    accuracy["error"] = record->error;
    accuracy["largest_error"] = record->largest;
    accuracy["rounding"] = record->rounding;
    accuracy["shortest_dt"] = record->shortest;
    accuracy["longest_dt"] = record->longest;
    return accuracy;
}

py::dict facts_of(Simulation& simulation) {
    const run::Spec& spec = simulation.spec();
    const auto* grid = std::get_if<domain::Grid>(&spec.domain);
    py::dict facts;
    facts["model"] = spec.model.name;
    facts["preset"] = spec.preset;
    facts["domain"] = domain::describe(spec.domain);
    facts["cells"] = domain::cell_count(spec.domain);
    facts["shape"] = py::tuple(py::cast(shape_of(spec.domain)));
    facts["spacing"] = grid ? py::object(py::make_tuple(grid->spacing[0], grid->spacing[1], grid->spacing[2])) : py::none();
    facts["scale"] = grid ? py::object(py::none()) : py::float_(std::get<domain::Mesh>(spec.domain).scale);
    facts["precision"] = spec.method.f64 ? "f64" : "f32";
    facts["method"] = spec.method.name;
    facts["device"] = simulation.run().backend().name() + " (" + simulation.run().backend().description() + ")";
    facts["threads"] = simulation.session().team().size();
    facts["stable_dt"] = simulation.clock().stable_dt;
    facts["automatic_dt"] = simulation.run().clock().automatic;
    facts["accuracy"] = accuracy_of(simulation);
    facts["halvings"] = simulation.run().clock().halvings;
    facts["drawn"] = spec.picture.sink.style.field.empty() ? spec.model.equations.back().field : spec.picture.sink.style.field;
    facts["palette"] = spec.picture.sink.style.palette;
    std::vector<std::string> files;
    for (const auto& file : simulation.run().files()) files.push_back(file.string());
    facts["files"] = files;
    const run::Timings times = simulation.run().timings();
    py::dict seconds;
    seconds["compile"] = times.compile;
    seconds["initial"] = times.initial;
    seconds["simulate"] = times.simulate;
    seconds["draw"] = times.draw;
    seconds["encode"] = times.encode;
    seconds["total"] = times.total;
    facts["seconds"] = seconds;
    return facts;
}

/// Of a surface: for each vertex of its file, the vertex that it is in a run, or -1. None on a grid.
py::object vertices_of(const Simulation& simulation) {
    const auto* mesh = std::get_if<domain::Mesh>(&simulation.spec().domain);
    if (!mesh) return py::none();
    const std::vector<domain::Vertex>& vertices = mesh->surface->vertex_of;
    return py::array_t<domain::Vertex>(std::ssize(vertices), vertices.data());
}

std::vector<std::pair<std::string, py::object>> parameter_values(const Simulation& simulation) {
    std::vector<std::pair<std::string, py::object>> parameters;
    for (const model::Parameter& one : simulation.spec().model.parameters)
        parameters.emplace_back(one.name, one.map ? py::object(py::none()) : py::float_(one.value));
    return parameters;
}

}  // namespace

void bind_simulation(py::module_& module) {
    py::class_<Request>(module, "Request")
        .def(py::init([](py::object text, std::string file, std::string name, std::string preset, py::dict arguments, py::dict arrays,
                         std::shared_ptr<Mesh> mesh) {
            return Request{std::move(text),      std::move(file),   std::move(name), std::move(preset),
                           std::move(arguments), std::move(arrays), std::move(mesh)};
        }));
    py::class_<Session>(module, "Session")
        .def(py::init([](int threads) { return std::make_unique<Session>(threads, py::none(), ""); }), py::arg("threads") = 0);
    py::class_<Simulation, std::shared_ptr<Simulation>>(module, "Simulation")
        .def(py::init<const Request&, const py::object&, const std::string&, bool>())
        .def("advance", &Simulation::advance)
        .def("run_to_end", &Simulation::run_to_end)
        .def("draw", &Simulation::draw)
        .def("step", [](const Simulation& s) { return s.run().now().step; })
        .def("time", [](const Simulation& s) { return s.run().now().time; })
        .def("dt", [](const Simulation& s) { return s.run().dt(); })
        .def("steps", [](const Simulation& s) { return s.run().steps(); })
        .def("names", [](const Simulation& s) { return s.field().names(); })
        .def("parameters", &parameter_values)
        .def("set_parameter", &Simulation::set_parameter)
        .def("set_map", &Simulation::set_map)
        .def("set_time_step", &Simulation::set_time_step)
        .def("arrays", &arrays_of)
        .def("read", [](Simulation& s, const std::string& name) { return read_array(s.session(), s.field(), array_of(s, name)); })
        .def("read_into", [](Simulation& s, const std::string& name,
                             const py::array& out) { read_into(s.session(), s.field(), array_of(s, name), out); })
        .def("write", [](Simulation& s, const std::string& name,
                         const py::array& from) { write_array(s.session(), s.run().field(), s.field().find(name), from); })
        .def("origin", [](const Simulation& s) { return s.run().origin(); })
        .def("stand_at", [](Simulation& s, core::Index step, double origin,
                            core::Index steps) { s.session().call([&] { s.run().stand_at(step, origin, steps); }); })
        .def("restore", [](Simulation& s, const std::string& name,
                           const py::array& from) { write_array(s.session(), s.run().field(), array_of(s, name), from); })
        .def("statistics", &statistics_of)
        .def("vertices", &vertices_of)
        .def("facts", &facts_of);
    module.def("devices", [] {
        std::vector<std::tuple<std::string, bool, std::string>> devices;
        for (const device::DeviceInfo& one : device::devices()) devices.emplace_back(one.name, one.available, one.description);
        return devices;
    });
}

}  // namespace mottle::python
