// python/src/model.h: a model to be looked at
#pragma once
#include <pybind11/pybind11.h>

namespace mottle::python {

void bind_model(pybind11::module_& module);

}  // namespace mottle::python
