// python/src/document.cpp: dictionaries become tables, lists arrays, and every number keeps its kind
#include "document.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/model/model.h"

#include <cmath>
#include <limits>

namespace mottle::python {

namespace py = pybind11;

namespace {

constexpr int kDeepest = 32;

core::Node convert(py::handle value, const std::string& origin, int depth) {
    core::Node node;
    if (depth > kDeepest) throw core::InputError(origin + " is nested more than " + std::to_string(kDeepest) + " deep");
    if (py::isinstance<py::str>(value)) return core::text_node(value.cast<std::string>(), origin);
    node.span.file = origin;
    if (py::isinstance<py::bool_>(value)) {
        node.kind = core::Node::Kind::boolean;
        node.boolean = value.cast<bool>();
    } else if (py::isinstance<py::dict>(value)) {
        for (const auto& [key, member] : py::reinterpret_borrow<py::dict>(value)) {
            if (!py::isinstance<py::str>(key)) throw core::InputError(origin + ": a key is " + std::string(py::repr(key)) + ", not text");
            const std::string name = key.cast<std::string>();
            core::Member made{name, {}, convert(member, origin + "[\"" + name + "\"]", depth + 1)};
            made.key_span.file = origin;
            node.members.push_back(std::move(made));
        }
    } else if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
        node.kind = core::Node::Kind::array;
        for (const py::handle item : value) node.items.push_back(convert(item, origin, depth + 1));
    } else if (PyIndex_Check(value.ptr())) {  // whole numbers, those of NumPy too
        const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
        if (!index) throw py::error_already_set();
        int beyond = 0;
        node.kind = core::Node::Kind::integer;
        node.integer = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
        if (beyond != 0) throw core::InputError(origin + " = " + std::string(py::str(index)) + " is no number of 64 bits");
        node.number = static_cast<double>(node.integer);
    } else if (PyFloat_Check(value.ptr()) || py::hasattr(value, "__float__")) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
        node = core::number_node(number, origin);
    } else {
        throw core::InputError(origin + " is of type " + std::string(py::str(py::type::handle_of(value).attr("__name__"))) +
                               "; numbers, texts, truth values, lists and dictionaries of these are possible");
    }
    return node;
}

}  // namespace

core::Node node_of(py::handle value, const std::string& origin) { return convert(value, origin, 0); }

core::Node node_of_arguments(const py::dict& arguments) {
    core::Node table;
    for (const auto& [key, value] : arguments) {
        const std::string name = key.cast<std::string>();
        const std::string origin = "argument " + name;
        core::Member member{name, {}, name == "parameters" ? core::Node{} : convert(value, origin, 0)};
        if (name == "parameters" && py::isinstance<py::dict>(value)) {  // each is an argument of its own
            for (const auto& [parameter, number] : py::reinterpret_borrow<py::dict>(value)) {
                const std::string called = py::str(parameter);
                core::Member made{called, {}, convert(number, "argument " + called, 0)};
                made.key_span.file = "argument " + called;
                member.value.members.push_back(std::move(made));
            }
        }
        member.key_span.file = origin;
        table.members.push_back(std::move(member));
    }
    return table;
}

core::Node document_of(const py::object& text, const std::string& file, const std::string& name) {
    return text.is_none() ? model::load_document(name) : core::parse_document(text.cast<std::string>(), file);
}

}  // namespace mottle::python
