// tests/ranks/rough_mesh.h: a mesh file whose vertices come in no order, with copies and with vertices that no face uses
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace rough {

/// A wavy sheet of `nx` times `ny` places as an OBJ file. Of every seventh place there are two vertices, which faces use in turn.
inline std::string mesh(int nx, int ny) {
    struct Vertex {
        int place;  ///< -1: of no face
        int copy;
    };
    std::vector<Vertex> vertices;
    for (int place = 0; place < nx * ny; ++place) {
        vertices.push_back({place, 0});
        if (place % 7 == 3) vertices.push_back({place, 1});
        if (place % 11 == 5) vertices.push_back({-1, 0});
    }
    std::shuffle(vertices.begin(), vertices.end(), std::mt19937(1));
    std::string text;
    std::vector<int> first(static_cast<std::size_t>(nx * ny)), second(first.size());
    char line[80];
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vertex& vertex = vertices[i];
        const int x = vertex.place % nx, y = vertex.place / nx, number = static_cast<int>(i) + 1;
        std::snprintf(line, sizeof line, "v %d %d %.3f\n", x, y, 2 * std::sin(0.3 * x + 0.2 * y));
        text += vertex.place < 0 ? "v " + std::to_string(i) + " -5 0\n" : line;
        if (vertex.place < 0) continue;
        (vertex.copy == 0 ? first : second)[static_cast<std::size_t>(vertex.place)] = number;
    }
    int face = 0;
    const auto corner = [&](int place) {
        const int other = second[static_cast<std::size_t>(place)];
        return " " + std::to_string(other > 0 && face % 2 == 1 ? other : first[static_cast<std::size_t>(place)]);
    };
    for (int y = 0; y + 1 < ny; ++y) {
        for (int x = 0; x + 1 < nx; ++x) {
            const int a = y * nx + x, b = a + 1, c = a + nx, d = c + 1;
            text += "f" + corner(a) + corner(b) + corner(d) + "\n";
            ++face;
            text += "f" + corner(a) + corner(d) + corner(c) + "\n";
        }
    }
    return text;
}

}  // namespace rough
