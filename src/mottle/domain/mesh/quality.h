// mottle/domain/mesh/quality.h: angles, negative weights and area of a mesh, for reports
#pragma once
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

struct Quality {
    double least_angle = 0, greatest_angle = 0;  ///< degrees
    double obtuse_percent = 0;                   ///< of the triangles
    double negative_percent = 0;                 ///< of the edges: cotangent weight below 0
    double area = 0;                             ///< in the mesh's lengths squared
};
Quality quality_of(const Mesh& mesh);

/// Entries of the rows, two per edge, whose cotangent weight is below 0 by more than rounding.
Index negative_weights(const MeshOperators& rows);

}  // namespace mottle::domain
