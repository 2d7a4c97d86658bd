// python/src/arrays.cpp: bulk transfer between fields and arrays
#include "arrays.h"

#include "mottle/core/error.h"
#include "mottle/output/surface_data.h"

#include <span>

namespace mottle::python {

namespace py = pybind11;

namespace {

template <class Real>
void read_cells(Session& session, const field::Field& field, ir::Array array, std::span<Real> out) {
    const auto* mesh = std::get_if<domain::Mesh>(&field.kernel().domain());
    if (!mesh) return field.read(array, out, session.team());
    std::vector<Real> cells(mesh->surface->position.size());
    field.read(array, std::span<Real>(cells), session.team());
    output::spread<Real>(*mesh->surface, cells, out);
}

template <class Real>
void write_cells(Session& session, field::Field& field, ir::Array array, std::span<const Real> from) {
    const auto* mesh = std::get_if<domain::Mesh>(&field.kernel().domain());
    if (!mesh) return field.write(array, from, session.team());
    std::vector<Real> cells;
    cells.reserve(mesh->surface->original.size());
    for (const domain::Vertex in_file : mesh->surface->original) cells.push_back(from[static_cast<std::size_t>(in_file)]);
    field.write(array, std::span<const Real>(cells), session.team());
}

void require(const field::Field& field, const py::array& array, const char* what) {
    require_shape(field.kernel().domain(), array, what);
    if (!py::isinstance<py::array_t<float>>(array) && !py::isinstance<py::array_t<double>>(array))
        throw core::InputError(std::string(what) + " is of type " + std::string(py::str(array.dtype())) +
                               "; float32 and float64 are possible");
    if (!(array.flags() & py::array::c_style))
        throw core::InputError(std::string(what) + " is not in C order, row by row; give one that numpy.empty(shape, dtype) makes");
}

/// Calls `work` with a span over `array`, which is of floats or doubles.
template <class Work>
void with_cells(const py::array& array, const Work& work) {
    const auto size = static_cast<std::size_t>(array.size());
    if (py::isinstance<py::array_t<float>>(array))
        work(std::span(static_cast<const float*>(array.data()), size));
    else
        work(std::span(static_cast<const double*>(array.data()), size));
}

template <class Real>
std::span<Real> writeable(std::span<const Real> cells) {
    return {const_cast<Real*>(cells.data()), cells.size()};  // the array was asked
}

}  // namespace

std::string shape_text(const std::vector<py::ssize_t>& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

std::vector<py::ssize_t> shape_of(const domain::Domain& domain) {
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return {std::ssize(mesh->surface->vertex_of)};
    const domain::Triple& size = std::get<domain::Grid>(domain).size;
    if (size[2] > 1) return {size[2], size[1], size[0]};
    return {size[1], size[0]};
}

void require_shape(const domain::Domain& domain, const py::array& array, const char* what) {
    const std::vector<py::ssize_t> wanted = shape_of(domain);
    const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
    if (shape != wanted) {
        std::string message = std::string(what) + " has the shape " + shape_text(shape) + ", and the field " + shape_text(wanted);
        if (std::vector<py::ssize_t>(shape.rbegin(), shape.rend()) == wanted)
            message += "; arrays are (y, x) and size is (width, height): give its transpose, array.T";
        throw core::InputError(message);
    }
}

py::array read_array(Session& session, const field::Field& field, ir::Array array) {
    const std::vector<py::ssize_t> shape = shape_of(field.kernel().domain());
    py::array out = field.kernel().program().f64 ? py::array(py::array_t<double>(shape)) : py::array(py::array_t<float>(shape));
    read_into(session, field, array, out);
    return out;
}

void read_into(Session& session, const field::Field& field, ir::Array array, const py::array& out) {
    require(field, out, "the array");
    if (!out.writeable()) throw core::InputError("the array is read-only; give one that may be written");
    with_cells(out, [&](auto cells) { session.call([&] { read_cells(session, field, array, writeable(cells)); }); });
}

void write_array(Session& session, field::Field& field, ir::Array array, const py::array& from) {
    require(field, from, "the array");
    with_cells(from, [&](auto cells) { session.call([&] { write_cells(session, field, array, cells); }); });
}

std::vector<double> vector_of(const py::array_t<double, py::array::c_style | py::array::forcecast>& array) {
    return {array.data(), array.data() + array.size()};
}

}  // namespace mottle::python
