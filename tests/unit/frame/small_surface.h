// tests/unit/frame/small_surface.h: surfaces that a test can check by hand: a ball, a square
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <cmath>
#include <map>

namespace mottle::small {

inline void complete(domain::Surface& surface) {
    for (std::size_t v = 0; v < surface.position.size(); ++v) {
        surface.original.push_back(static_cast<domain::Vertex>(v));
        surface.vertex_of.push_back(static_cast<domain::Vertex>(v));
    }
}

/// An octahedron, `level` times cut into four and pushed onto the unit sphere; faces run counter-clockwise seen from outside.
inline domain::Surface ball(int level) {
    domain::Surface surface;
    surface.name = "ball";
    surface.position = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    surface.faces = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (; level > 0; --level) {
        std::map<std::pair<int, int>, int> middles;
        auto middle = [&](int a, int b) {
            auto [found, added] = middles.try_emplace(std::minmax(a, b), static_cast<int>(surface.position.size()));
            if (added) {
                const auto &p = surface.position[static_cast<std::size_t>(a)], &q = surface.position[static_cast<std::size_t>(b)];
                const double length = std::hypot(p[0] + q[0], p[1] + q[1], p[2] + q[2]);
                surface.position.push_back({(p[0] + q[0]) / length, (p[1] + q[1]) / length, (p[2] + q[2]) / length});
            }
            return found->second;
        };
        std::vector<domain::Triangle> faces;
        for (const auto& [a, b, c] : surface.faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            for (const domain::Triangle& face : {domain::Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
                faces.push_back(face);
        }
        surface.faces = faces;
    }
    complete(surface);
    return surface;
}

/// Two faces in the plane z = 0: (0, 0) to (2, 2).
inline domain::Surface square() {
    domain::Surface surface;
    surface.name = "square";
    surface.position = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    surface.faces = {{0, 1, 2}, {0, 2, 3}};
    complete(surface);
    return surface;
}

}  // namespace mottle::small
