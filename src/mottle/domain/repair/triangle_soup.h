// mottle/domain/repair/triangle_soup.h: triangles as a file or a shape gives them, before repair
#pragma once
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

/// What a reader or a shape hands to repair(): vertices and faces in the order of the file, polygons cut into triangles. Positions are finite and
/// indices are in range.
struct TriangleSoup {
    std::string name;  ///< "spot.obj", "sphere:5"
    std::vector<Point> position;
    std::vector<Triangle> faces;
    Index polygons = 0;  ///< faces as stored
    std::vector<Attribute> attributes;
    std::vector<std::array<double, 2>> texture;  ///< per vertex, or empty
};

/// The most vertices, and the most triangles: corners are counted in 32 bits.
inline constexpr Index kMostTriangles = Index{1} << 30;

}  // namespace mottle::domain
