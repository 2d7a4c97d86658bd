// python/src/module.cpp: the compiled part of the package mottle; python/mottle has what people see
#include "errors.h"
#include "live.h"
#include "mesh.h"
#include "model.h"
#include "recorder.h"
#include "session.h"
#include "simulation.h"
#include "sweep.h"

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_mottle, module) {
    namespace python = mottle::python;
    module.doc() = "The compiled part of mottle. Use the package, which is this with shapes, units and names checked.";
    python::translate_errors();
    python::watch_forks();
    python::bind_model(module);
    python::bind_mesh(module);
    python::bind_simulation(module);
    python::bind_recorder(module);
    python::bind_sweep(module);
    python::bind_live(module);
    pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(&python::end_sessions));
}
