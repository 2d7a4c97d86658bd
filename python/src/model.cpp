// python/src/model.cpp: what a model says, as dictionaries and texts; its linearisation and its program
#include "model.h"

#include "arrays.h"
#include "document.h"

#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/frame/palette.h"
#include "mottle/ir/lower/system.h"
#include "mottle/ir/stability/favoured_wave.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/layer.h"
#include "mottle/run/settings/read_spec.h"

#include <pybind11/stl.h>

namespace mottle::python {

namespace py = pybind11;

namespace {

using run::Spec;

py::object optional(const std::optional<double>& value) { return value ? py::object(py::float_(*value)) : py::none(); }

py::dict parameters_of(const model::Model& model) {
    py::dict parameters;
    for (const model::Parameter& one : model.parameters) {
        py::dict entry;
        entry["value"] = one.map ? py::object(py::str(model::print(*one.map))) : py::float_(one.value);
        entry["min"] = optional(one.min);
        entry["max"] = optional(one.max);
        entry["about"] = one.about;
        parameters[py::str(one.name)] = entry;
    }
    return parameters;
}

py::dict fields_of(const model::Model& model) {
    py::dict fields;
    for (const model::Equation& one : model.equations) {
        py::dict entry;
        entry["equation"] = model::print(*one.rate);
        entry["initial"] = one.initial ? py::object(py::str(model::print(*one.initial))) : py::none();
        entry["range"] = one.range ? py::object(py::make_tuple((*one.range)[0], (*one.range)[1])) : py::none();
        entry["clamp"] = one.clamp ? py::object(py::make_tuple((*one.clamp)[0], (*one.clamp)[1])) : py::none();
        entry["unit"] = one.unit;
        entry["about"] = one.about;
        fields[py::str(one.field)] = entry;
    }
    return fields;
}

/// The model of a document, with everything of its run.
struct Read {
    core::Node document;
    std::string name;
    Spec spec;
};

Read read(const py::object& text, const std::string& file, const std::string& name, const std::string& preset, const py::dict& arguments) {
    Read made{document_of(text, file, name), name, {}};
    made.spec = run::read_spec(made.document, name, preset, node_of_arguments(arguments));
    return made;
}

}  // namespace

void bind_model(py::module_& module) {
    py::class_<Read>(module, "Model")
        .def(py::init(&read))
        .def("title", [](const Read& read) { return read.spec.model.title; })
        .def("about", [](const Read& read) { return read.spec.model.about; })
        .def("source", [](const Read& read) { return read.spec.model.source; })
        .def("preset", [](const Read& read) { return read.spec.preset; })
        .def("fields", [](const Read& read) { return fields_of(read.spec.model); })
        .def("parameters", [](const Read& read) { return parameters_of(read.spec.model); })
        .def("presets",
             [](const Read& read) {
                 std::vector<std::pair<std::string, std::string>> presets;
                 for (const model::Preset& one : run::presets_of(read.document)) presets.emplace_back(one.name, one.about);
                 return presets;
             })
        .def("jacobian", [](const Read& read, const std::vector<double>& state,
                            double wave_number) { return py::array(py::cast(ir::jacobian(read.spec.model, state, wave_number))); })
        .def("program", [](const Read& read) {
            const Spec& spec = read.spec;
            return ir::print(ir::lower(ir::build(spec.model), spec.method, spec.domain));
        });

    module.def("library", [] {
        std::vector<std::string> names;
        for (const model::LibraryModel& one : model::library()) names.emplace_back(one.name);
        return names;
    });
    module.def("names_of", [](const py::object& text, const std::string& file, const std::string& name, const std::string& preset) {
        const core::Node document = run::read_model_document(document_of(text, file, name), preset, {});
        std::vector<std::string> fields;
        if (const core::Node* equations = document.find("equations")) {
            for (const core::Member& member : equations->members) fields.push_back(member.key);
        }
        return std::make_pair(run::parameter_names(document), fields);
    });
    module.def("setting_names", &run::setting_names);
    module.def("did_you_mean",
               [](const std::string& name, const std::vector<std::string>& known) { return core::did_you_mean(name, known); });
    module.def("palette_names", &frame::palette_names);
    module.def("palette", [](const std::string& name) {
        const frame::Palette& palette = frame::palette(name);
        py::array_t<std::uint8_t> colours({py::ssize_t{256}, py::ssize_t{3}});
        for (std::size_t i = 0; i < palette.size(); ++i) std::copy(palette[i].begin(), palette[i].end(), colours.mutable_data() + 3 * i);
        return colours;
    });
    module.def("version", &core::version);
    module.def("build_id", &core::build_id);
}

}  // namespace mottle::python
