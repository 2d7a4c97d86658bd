// mottle/domain/mesh/create.h: a mesh from the name of a file or a shape
#pragma once
#include "mottle/core/span.h"
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"
#include "mottle/domain/shapes/shapes.h"

#include <filesystem>

namespace mottle::domain {

/// Reads the file, or makes the shape, refines and repairs it. `folder`: where a relative file is looked up. A shape, or a refined mesh, of more vertices is refused.
/// Throws: InputError with the place in the file, or that of `source`.
std::shared_ptr<const Surface> load_surface(const core::Text& source, const std::filesystem::path& folder, core::ThreadTeam& team,
                                            Index most_vertices = kMostVertices, Refinement refinement = {});

/// The same of triangles in memory. Throws: InputError (a place that is not finite, an index out of range, lists of other lengths than the vertices).
std::shared_ptr<const Surface> surface_of(TriangleSoup soup, core::ThreadTeam& team, Index most_vertices = kMostVertices,
                                          Refinement refinement = {});

/// How Mesh::spectrum is found: one look at each row, or Lanczos steps as well, which take as long as some 30 steps of a run.
enum class Stiffness { gershgorin, lanczos };

/// The surface with its operators; every loop is a no-flux border. `scale`: lengths of the equations per length of the file. `delaunay`: without
/// negative weights, see make_delaunay().
/// Throws: InputError if the weights leave the range of f64.
Mesh create_mesh(std::shared_ptr<const Surface> surface, double scale, core::ThreadTeam& team, bool delaunay = false,
                 Stiffness stiffness = Stiffness::lanczos);

}  // namespace mottle::domain
