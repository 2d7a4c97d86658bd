// python/src/mesh.cpp: meshes from files, shapes and arrays, and their operators as arrays in the numbering of the file
#include "mesh.h"

#include "arrays.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/mesh/quality.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/domain/readers/read.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace mottle::python {

namespace py = pybind11;

namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<long long, py::array::c_style | py::array::forcecast>;

domain::TriangleSoup soup_of(const Doubles& vertices, const Integers& faces, const std::string& name) {
    if (vertices.ndim() != 2 || vertices.shape(1) != 3)
        throw core::InputError("vertices is an array of (vertices, 3) coordinates, not one of shape " +
                               shape_text({vertices.shape(), vertices.shape() + vertices.ndim()}));
    if (faces.ndim() != 2 || faces.shape(1) != 3)
        throw core::InputError("faces is an array of (faces, 3) numbers of vertices, not one of shape " +
                               shape_text({faces.shape(), faces.shape() + faces.ndim()}));
    if (vertices.shape(0) > domain::kMostVertices || faces.shape(0) > domain::kMostTriangles)
        throw core::InputError("a mesh has at most " + core::grouped(domain::kMostVertices) + " vertices");
    domain::TriangleSoup soup;
    soup.name = name;
    soup.position.resize(static_cast<std::size_t>(vertices.shape(0)));
    for (std::size_t v = 0; v < soup.position.size(); ++v) std::copy_n(vertices.data() + 3 * v, 3, soup.position[v].begin());
    soup.faces.resize(static_cast<std::size_t>(faces.shape(0)));
    for (std::size_t f = 0; f < soup.faces.size(); ++f) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const long long vertex = faces.data()[3 * f + corner];
            if (vertex < 0 || vertex >= vertices.shape(0))
                throw core::InputError("face " + std::to_string(f) + " names vertex " + std::to_string(vertex) +
                                       "; vertices are numbered from 0 to " + std::to_string(vertices.shape(0) - 1));
            soup.faces[f][corner] = static_cast<domain::Vertex>(vertex);
        }
    }
    soup.polygons = std::ssize(soup.faces);
    return soup;
}

domain::TriangleSoup read_soup(const std::string& source, core::ThreadTeam& team) {
    if (domain::is_shape(source)) return domain::make_shape({source, {}});
    if (source.find_first_of("./") == std::string::npos) domain::make_shape({source, {}});  // says what shapes there are
    return domain::read_mesh(source, &team);
}

template <class Vectors>
py::array rows_of_three(const Vectors& rows) {
    using Number = typename Vectors::value_type::value_type;
    py::array_t<Number> out({std::ssize(rows), py::ssize_t{3}});
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), out.mutable_data() + 3 * i);
    return out;
}

/// A number per vertex as one per vertex of the file; what is no vertex is `none`.
py::array_t<double> spread(const domain::Surface& surface, const std::vector<double>& from, double none) {
    py::array_t<double> out(std::ssize(surface.vertex_of));
    for (std::size_t i = 0; i < surface.vertex_of.size(); ++i)
        out.mutable_data()[i] = surface.vertex_of[i] < 0 ? none : from[static_cast<std::size_t>(surface.vertex_of[i])];
    return out;
}

/// Rows over the one-ring as a sparse matrix in the numbering of the file, (A f)_i = sum of w_ij (f_j - f_i): data, indices and starts of compressed rows,
/// columns ascending. Copies of a vertex have its row; what is no vertex has none.
py::tuple compressed_rows(const domain::Mesh& mesh, const std::vector<double>& weights) {
    const domain::Surface& surface = *mesh.surface;
    const domain::MeshOperators& rows = *mesh.operators;
    std::vector<double> data;
    std::vector<long long> columns, starts = {0};
    std::vector<std::pair<long long, double>> row;
    for (const domain::Vertex vertex : surface.vertex_of) {
        row.clear();
        if (vertex >= 0) {
            const auto v = static_cast<std::size_t>(vertex);
            double sum = 0;
            for (auto k = static_cast<std::size_t>(rows.first[v]); k < static_cast<std::size_t>(rows.first[v + 1]); ++k) {
                row.emplace_back(surface.original[static_cast<std::size_t>(rows.neighbour[k])], weights[k]);
                sum += weights[k];
            }
            row.emplace_back(surface.original[v], -sum);
            std::sort(row.begin(), row.end());
        }
        for (const auto& [column, weight] : row) {
            columns.push_back(column);
            data.push_back(weight);
        }
        starts.push_back(std::ssize(data));
    }
    return py::make_tuple(py::array(py::cast(data)), py::array(py::cast(columns)), py::array(py::cast(starts)));
}

}  // namespace

Mesh::Mesh(Session& session, domain::TriangleSoup soup) : soup_(std::make_shared<const domain::TriangleSoup>(std::move(soup))) {
    surface_ = domain::surface_of(*soup_, session.team());
}

const domain::Mesh& Mesh::operators(Session& session) {
    if (!mesh_) mesh_ = std::make_unique<domain::Mesh>(domain::create_mesh(surface_, 1, session.team()));
    return *mesh_;
}

void bind_mesh(py::module_& module) {
    using Shared = std::shared_ptr<Mesh>;
    py::class_<Mesh, Shared>(module, "Mesh")
        .def(py::init([](Session& session, const Doubles& vertices, const Integers& faces, const std::string& name) {
            domain::TriangleSoup soup = soup_of(vertices, faces, name);
            Shared made;
            session.call_aside([&] { made = std::make_shared<Mesh>(session, std::move(soup)); });
            return made;
        }))
        .def_static("read",
                    [](Session& session, const std::string& source) {
                        Shared made;
                        session.call_aside([&] { made = std::make_shared<Mesh>(session, read_soup(source, session.team())); });
                        return made;
                    })
        .def("name", [](const Mesh& mesh) { return mesh.soup()->name; })
        .def("vertices", [](const Mesh& mesh) { return rows_of_three(mesh.soup()->position); })
        .def("faces", [](const Mesh& mesh) { return rows_of_three(mesh.soup()->faces); })
        .def("attributes",
             [](const Mesh& mesh) {
                 py::dict attributes;
                 for (const domain::Attribute& one : mesh.soup()->attributes)
                     attributes[py::str(one.name)] = py::array(py::cast(one.values));
                 return attributes;
             })
        .def("loops",
             [](const Mesh& mesh) {
                 std::vector<std::vector<domain::Vertex>> loops;
                 for (const auto& loop : mesh.surface().loops) {
                     for (auto& in_file = loops.emplace_back(); const domain::Vertex v : loop)
                         in_file.push_back(mesh.surface().original[static_cast<std::size_t>(v)]);
                 }
                 return loops;
             })
        .def("laplacian",
             [](Mesh& mesh, Session& session) {
                 session.call_aside([&] { mesh.operators(session); });
                 const domain::Mesh& made = mesh.operators(session);
                 return compressed_rows(made, made.operators->laplacian);
             })
        .def("gradient",
             [](Mesh& mesh, Session& session, std::size_t axis) {
                 session.call_aside([&] { mesh.operators(session); });
                 const domain::Mesh& made = mesh.operators(session);
                 return compressed_rows(made, made.operators->gradient.at(axis));
             })
        .def("mass",
             [](Mesh& mesh, Session& session) {
                 session.call_aside([&] { mesh.operators(session); });
                 return spread(mesh.surface(), mesh.operators(session).operators->mass, 0);
             })
        .def("stiffness",
             [](Mesh& mesh, Session& session) {
                 session.call_aside([&] { mesh.operators(session); });
                 return mesh.operators(session).spectrum.largest;
             })
        .def("area", [](Mesh& mesh, Session& session) {
            session.call_aside([&] { mesh.operators(session); });
            return domain::quality_of(mesh.operators(session)).area;
        });
}

}  // namespace mottle::python
