// python/src/recorder.h: one output of a simulation, given a frame whenever its caller likes
#pragma once
#include <pybind11/pybind11.h>

namespace mottle::python {

void bind_recorder(pybind11::module_& module);

}  // namespace mottle::python
