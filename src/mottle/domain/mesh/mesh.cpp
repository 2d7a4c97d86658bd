// mottle/domain/mesh/mesh.cpp: lookups of a mesh
#include "mottle/domain/mesh/mesh.h"

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

Point sides(const Box& box) { return {box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]}; }

double longest_side(const Box& box) {
    const Point length = sides(box);
    return *std::max_element(length.begin(), length.end());
}

bool Surface::keeps_order() const { return std::is_sorted(original.begin(), original.end()); }

std::vector<Vertex> Surface::in_file_order() const {
    std::vector<Vertex> order;
    order.reserve(original.size());
    if (vertex_of.empty()) {  // of a piece
        for (std::size_t v = 0; v < original.size(); ++v) order.push_back(static_cast<Vertex>(v));
        std::sort(order.begin(), order.end(), [this](Vertex a, Vertex b) { return original[core::at(a)] < original[core::at(b)]; });
        return order;
    }
    for (std::size_t i = 0; i < vertex_of.size(); ++i) {
        const Vertex v = vertex_of[i];
        if (v >= 0 && original[core::at(v)] == static_cast<Vertex>(i)) order.push_back(v);
    }
    return order;
}

const std::vector<Boundary>& Mesh::loops_of(const std::string& field) const {
    for (const auto& [name, rules] : field_loops) {
        if (name == field) return rules;
    }
    return loops;
}

}  // namespace mottle::domain
