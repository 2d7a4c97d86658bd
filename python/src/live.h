// python/src/live.h: the page of `mottle live`, served from a thread of this process
#pragma once
#include <pybind11/pybind11.h>

namespace mottle::python {

void bind_live(pybind11::module_& module);

}  // namespace mottle::python
