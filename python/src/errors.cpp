// python/src/errors.cpp: raises what mottle/errors.py defines
#include "errors.h"

#include <pybind11/stl.h>

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"

#include <filesystem>
#include <new>

namespace mottle::python {

namespace py = pybind11;

namespace {

/// The class of an error, by its kind in JSON.
const char* class_of(const core::Error& error) {
    const std::string kind = error.kind();
    if (kind == "model") return "ModelError";
    if (kind == "input") return "InputError";
    if (kind == "device") return "DeviceError";
    if (kind == "output") return "OutputError";
    if (kind == "interrupted") return "InterruptedError";
    return "InternalError";
}

void raise(const core::Error& error) {
    const py::object type = py::module_::import("mottle.errors").attr(class_of(error));
    const std::optional<core::Span>& span = error.span();
    const bool placed = span && span->line > 0;
    const py::object file = span && !span->file.empty() ? py::object(py::str(span->file)) : py::none();
    const py::object line = placed ? py::object(py::int_(span->line)) : py::none();
    const py::object column = placed && span->column > 0 ? py::object(py::int_(span->column)) : py::none();
    const py::object exception = type(py::str(error.what()), py::str(error.message()), file, line, column);
    PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

void translate_errors() {
    py::register_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer) std::rethrow_exception(pointer);
        } catch (const core::Error& error) {
            try {
                raise(error);
            } catch (py::error_already_set& worse) {  // no module of errors: the interpreter ends
                worse.restore();
            }
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, "Mottle ran out of memory; take a smaller size");
        }
    });
}

void throw_in_python(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const core::Error& error) {
        raise(error);
    }
    throw py::error_already_set();
}

void throw_diverged(const std::string& message, long long step, const std::vector<std::string>& files) {
    const py::object type = py::module_::import("mottle.errors").attr("DivergedError");
    const py::object exception = type(py::str(message), step, py::cast(files));
    PyErr_SetObject(type.ptr(), exception.ptr());
    throw py::error_already_set();
}

}  // namespace mottle::python
