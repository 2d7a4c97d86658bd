// mottle/domain/mesh.cpp: lookups of a mesh
#include "mottle/domain/mesh.h"

#include <algorithm>

namespace mottle::domain {

Box bounds(const std::vector<Point>& points) {
    if (points.empty()) return {};
    Box box{points.front(), points.front()};
    for (const Point& p : points) {
        for (std::size_t d = 0; d < 3; ++d) {
            box.lo[d] = std::min(box.lo[d], p[d]);
            box.hi[d] = std::max(box.hi[d], p[d]);
        }
    }
    return box;
}

const std::vector<Boundary>& Mesh::loops_of(const std::string& field) const {
    for (const auto& [name, rules] : field_loops) {
        if (name == field) return rules;
    }
    return loops;
}

}  // namespace mottle::domain
