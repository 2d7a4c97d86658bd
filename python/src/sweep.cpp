// python/src/sweep.cpp: a sweep with the session that it works in, and its members as arrays
#include "sweep.h"

#include "arrays.h"
#include "document.h"
#include "simulation.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/sweep/sweep.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace mottle::python {

namespace py = pybind11;

namespace {

class Sweep {
   public:
    Sweep(const Request& request, const std::vector<std::pair<std::string, std::vector<double>>>& over, const py::object& listener,
          const std::string& cache) {
        const core::Node document = document_of(request.text, request.file, request.name), keys = node_of_arguments(request.arguments);
        const run::Given given = given_of(request);
        std::vector<std::string> axes;
        for (const auto& [name, values] : over) {
            std::string text = name + "=";
            for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + core::number_text(values[i]);
            axes.push_back(std::move(text));
        }
        std::optional<sweep::Spec> spec;
        Session reading(1, listener, cache);
        reading.call_aside([&] { spec = sweep::read_spec(document, request.name, request.preset, keys, axes, given); });
        session_ = std::make_unique<Session>(spec->base.threads, listener, cache);
        session_->call_aside([&] { sweep_ = std::make_unique<sweep::Sweep>(std::move(*spec), session_->context()); });
    }
    ~Sweep() {  // a forked process leaves what has threads be
        if (session_ && session_->is_orphan()) static_cast<void>(sweep_.release());
    }
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    Session& session() { return *session_; }
    const sweep::Sweep& get() const { return *sweep_; }

    void run_to_end(py::object progress) {
        session_->set_progress(std::move(progress));
        bool complete = false;
        session_->call_aside([&] { complete = sweep_->run_to_end(); });
        if (!complete) throw core::Interrupted();
    }

    /// The ends of all members, NaN of one that diverged. Shape: (values of the first axis, of the second, field).
    py::array fields(const std::string& name) {
        const ir::Array array = sweep_->field(0).find(name);
        std::vector<py::ssize_t> shape = {sweep_->spec().columns()};
        if (sweep_->spec().axes.size() > 1) shape.push_back(sweep_->spec().rows());
        for (const py::ssize_t n : shape_of(sweep_->spec().base.domain)) shape.push_back(n);
        return sweep_->spec().base.method.f64 ? collect<double>(array, shape) : collect<float>(array, shape);
    }

   private:
    template <class Real>
    py::array collect(ir::Array array, const std::vector<py::ssize_t>& shape) {
        py::array_t<Real> out(shape);
        const std::size_t members = sweep_->spec().size();
        const std::size_t size = static_cast<std::size_t>(out.size()) / members;
        const auto columns = static_cast<std::size_t>(sweep_->spec().columns()), rows = members / columns;
        for (std::size_t member = 0; member < members; ++member) {
            const std::size_t place =
                member % columns * rows + member / columns;  // the first axis varies fastest in the sweep, slowest here
            Real* const to = out.mutable_data() + place * size;
            if (sweep_->results()[member].outcome.verdict == stepper::Verdict::diverged) {
                std::fill_n(to, size, std::numeric_limits<Real>::quiet_NaN());
                continue;
            }
            py::array_t<Real> view(shape_of(sweep_->spec().base.domain), to, out);
            read_into(*session_, sweep_->field(member), array, view);
        }
        return out;
    }

    std::unique_ptr<Session> session_;
    std::unique_ptr<sweep::Sweep> sweep_;
};

/// A row per member, the first axis varying fastest: verdict, step, time, and of each field least, greatest, mean, deviation.
std::vector<py::tuple> results_of(const Sweep& sweep) {
    std::vector<py::tuple> rows;
    for (const sweep::Result& result : sweep.get().results()) {
        std::vector<std::array<double, 4>> fields;
        for (const backend::Statistics& s : result.fields) fields.push_back({s.min, s.max, s.mean, s.std});
        rows.push_back(py::make_tuple(stepper::word_of(result.outcome.verdict), result.outcome.at.step, result.outcome.at.time, fields,
                                      result.outcome.why));
    }
    return rows;
}

}  // namespace

void bind_sweep(py::module_& module) {
    py::class_<Sweep>(module, "Sweep")
        .def(py::init<const Request&, const std::vector<std::pair<std::string, std::vector<double>>>&, const py::object&,
                      const std::string&>())
        .def("run_to_end", &Sweep::run_to_end)
        .def("fields", &Sweep::fields)
        .def("results", &results_of)
        .def("names", [](const Sweep& s) { return s.get().field(0).names(); })
        .def("dt", [](const Sweep& s) { return s.get().clock().dt; })
        .def("steps", [](const Sweep& s) { return s.get().clock().steps; })
        .def("shape", [](const Sweep& s) { return py::tuple(py::cast(shape_of(s.get().spec().base.domain))); })
        .def("precision", [](const Sweep& s) { return s.get().spec().base.method.f64 ? "f64" : "f32"; })
        .def("seconds", [](const Sweep& s) { return s.get().timings().simulate; })
        .def("files", [](const Sweep& s) {
            std::vector<std::string> files;
            for (const auto& file : s.get().files()) files.push_back(file.string());
            return files;
        });
}

}  // namespace mottle::python
