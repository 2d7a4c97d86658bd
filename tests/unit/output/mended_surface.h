// tests/unit/output/mended_surface.h: a tetrahedron whose file has a vertex too many and a copy, and fields on it
#pragma once
#include "unit/frame/held_field.h"

#include <cmath>

namespace mottle::mended {

/// File: 0 unused, 1 A, 2 B, 3 C, 4 copy of B, 5 D. The surface has A, B, C, D.
inline domain::Surface surface() {
    domain::Surface surface;
    surface.name = "mended";
    surface.position = {{100.5, 0, 0.1}, {101.5, 0, 0.2}, {100.5, 1, 0.3}, {100.75, 0.25, 1.0 / 3}};
    surface.faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    surface.original = {1, 2, 3, 5};
    surface.vertex_of = {-1, 0, 1, 2, 1, 3};
    surface.bare = {{0, {101, 0.75, 0.5}}};
    return surface;
}

/// What a file must hold: places and values by hand; a NaN stands for the unused vertex.
inline const std::vector<domain::Point> kPlaces = {{101, 0.75, 0.5}, {100.5, 0, 0.1}, {101.5, 0, 0.2},
                                                   {100.5, 1, 0.3},  {101.5, 0, 0.2}, {100.75, 0.25, 1.0 / 3}};
inline const std::vector<domain::Triangle> kFaces = {{1, 3, 2}, {1, 2, 5}, {2, 3, 5}, {3, 1, 5}};
inline double u_at(std::size_t file_vertex) { return std::vector<double>{NAN, 0.1, 0.2, 0.3, 0.2, 0.4}[file_vertex]; }
inline double v_at(std::size_t file_vertex) { return std::vector<double>{NAN, 0, 0.25, 0.5, 0.25, 1}[file_vertex]; }

/// Fields u and v = 0.1 ... 0.4 and 0, 0.25, 0.5, 1 on A, B, C, D.
struct World : held::World {
    explicit World(bool f64 = false) : held::World(held::mesh_of(surface()), f64) {
        set_vertices("u", [](core::Index vertex) { return static_cast<double>(vertex + 1) / 10; });
        set_vertices("v", [](core::Index vertex) { return vertex == 3 ? 1.0 : 0.25 * static_cast<double>(vertex); });
    }
};

}  // namespace mottle::mended
