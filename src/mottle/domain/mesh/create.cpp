// mottle/domain/mesh/create.cpp: a mesh from the name of a file or a shape
#include "mottle/domain/mesh/create.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/operators/delaunay.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/repair/refine.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/domain/shapes/shapes.h"

#include <cmath>
#include <iterator>

namespace mottle::domain {
namespace {

std::shared_ptr<const Surface> repaired(TriangleSoup soup, core::ThreadTeam& team, Index most_vertices, Refinement refinement) {
    if (refinement.times > 0) {
        soup = refined(std::move(soup), refinement.times, refinement.subdivision, team, most_vertices);
        soup.polygons = static_cast<Index>(soup.faces.size());
    }
    return std::make_shared<const Surface>(repair(soup, team));
}

}  // namespace

std::shared_ptr<const Surface> load_surface(const core::Text& source, const std::filesystem::path& folder, core::ThreadTeam& team,
                                            Index most_vertices, Refinement refinement) {
    const bool shape = is_shape(source.text);
    if (!shape && source.text.find_first_of("./") == std::string::npos)
        make_shape(source, most_vertices);  // a mistyped shape rather than a file
    TriangleSoup soup = shape ? make_shape(source, most_vertices) : read_mesh(folder / source.text, &team);
    return repaired(std::move(soup), team, most_vertices, refinement);
}

std::shared_ptr<const Surface> surface_of(TriangleSoup soup, core::ThreadTeam& team, Index most_vertices, Refinement refinement) {
    const Index count = std::ssize(soup.position);
    if (count > kMostVertices || std::ssize(soup.faces) > kMostTriangles)
        throw core::InputError(soup.name + ": " + core::grouped(count) + " vertices and " + core::grouped(std::ssize(soup.faces)) +
                               " triangles are more than a mesh may have");
    for (std::size_t v = 0; v < soup.position.size(); ++v) {
        for (const double x : soup.position[v]) {
            if (!std::isfinite(x))
                throw core::InputError(soup.name + ": vertex " + std::to_string(v) + " has a coordinate that is " + core::number_text(x));
        }
    }
    for (std::size_t f = 0; f < soup.faces.size(); ++f) {
        for (const Vertex v : soup.faces[f]) {
            if (v < 0 || v >= count)
                throw core::InputError(soup.name + ": face " + std::to_string(f) + " names vertex " + std::to_string(v) +
                                       "; vertices are numbered from 0 to " + std::to_string(count - 1));
        }
    }
    for (const Attribute& attribute : soup.attributes) {
        if (std::ssize(attribute.values) != count)
            throw core::InputError(soup.name + ": the attribute '" + attribute.name + "' has " +
                                   core::grouped(std::ssize(attribute.values)) + " numbers for " + core::grouped(count) + " vertices");
    }
    if (!soup.texture.empty() && std::ssize(soup.texture) != count)
        throw core::InputError(soup.name + ": " + core::grouped(std::ssize(soup.texture)) + " texture coordinates for " +
                               core::grouped(count) + " vertices");
    return repaired(std::move(soup), team, most_vertices, refinement);
}

Mesh create_mesh(std::shared_ptr<const Surface> surface, double scale, core::ThreadTeam& team, bool delaunay, Stiffness stiffness) {
    Mesh mesh;
    MeshOperators operators = assemble_operators(*surface, scale, team);
    if (delaunay) make_delaunay(operators, *surface, team);
    mesh.operators = std::make_shared<const MeshOperators>(std::move(operators));
    mesh.spectrum =
        stiffness == Stiffness::lanczos ? spectrum_of(*surface, *mesh.operators, team) : gershgorin_of(*surface, *mesh.operators, team);
    mesh.scale = scale;
    mesh.loops.assign(surface->loops.size(), Boundary{Rule::no_flux, {}, {}});
    mesh.surface = std::move(surface);
    return mesh;
}

}  // namespace mottle::domain
