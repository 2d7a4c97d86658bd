// python/src/sweep.h: many runs side by side
#pragma once
#include <pybind11/pybind11.h>

namespace mottle::python {

void bind_sweep(pybind11::module_& module);

}  // namespace mottle::python
