// python/src/arrays.h: fields as arrays of NumPy, in the order of files
#pragma once
#include "session.h"

#include "mottle/field/field.h"

#include <pybind11/numpy.h>

#include <vector>

namespace mottle::python {

/// Of an array of `field`: (y, x), (z, y, x), or (vertices of the file,).
std::vector<pybind11::ssize_t> shape_of(const domain::Domain& domain);

/// Throws: InputError that begins with `what`, for another shape than that of an array of a field.
void require_shape(const domain::Domain& domain, const pybind11::array& array, const char* what);

/// A new array in the precision of the run. Vertices that no face uses, or that the region leaves out, are NaN.
pybind11::array read_array(Session& session, const field::Field& field, ir::Array array);
/// The same into an array of the caller: float32 or float64, C order, writeable, of that shape. Throws: InputError with what is wrong.
void read_into(Session& session, const field::Field& field, ir::Array array, const pybind11::array& out);
/// The other way. float32 or float64, C order. Of copies of a vertex the first counts. Throws: InputError (another shape or type; not finite, with the cell).
void write_array(Session& session, field::Field& field, ir::Array array, const pybind11::array& from);

/// "(256, 512)".
std::string shape_text(const std::vector<pybind11::ssize_t>& shape);
/// An array of doubles in C order as a vector.
std::vector<double> vector_of(const pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>& array);

}  // namespace mottle::python
