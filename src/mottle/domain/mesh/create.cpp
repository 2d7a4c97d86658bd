// mottle/domain/mesh/create.cpp: a mesh from the name of a file or a shape
#include "mottle/domain/mesh/create.h"

#include "mottle/domain/operators/delaunay.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/repair/refine.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/domain/shapes/shapes.h"

namespace mottle::domain {

std::shared_ptr<const Surface> load_surface(const core::Text& source, const std::filesystem::path& folder, core::ThreadTeam& team,
                                            Index most_vertices, Refinement refinement) {
    const bool shape = is_shape(source.text);
    if (!shape && source.text.find_first_of("./") == std::string::npos)
        make_shape(source, most_vertices);  // a mistyped shape rather than a file
    TriangleSoup soup = shape ? make_shape(source, most_vertices) : read_mesh(folder / source.text, &team);
    if (refinement.times > 0) soup = refined(std::move(soup), refinement.times, refinement.subdivision, team, most_vertices);
    return std::make_shared<const Surface>(repair(soup, team));
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
