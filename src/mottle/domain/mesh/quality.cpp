// mottle/domain/mesh/quality.cpp: angles, negative weights and area of a mesh
#include "mottle/domain/mesh/quality.h"

#include "mottle/domain/operators/operators.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::domain {

Quality quality_of(const Mesh& mesh) {
    Quality quality;
    quality.least_angle = 180;
    Index obtuse = 0;
    const double size = longest_side(bounds(mesh.surface->position));
    for (const Triangle& face : mesh.surface->faces) {
        double widest = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            Point a{}, b{};
            for (std::size_t d = 0; d < 3; ++d) {
                const double here = mesh.surface->position[core::at(face[c])][d];
                a[d] = (mesh.surface->position[core::at(face[(c + 1) % 3])][d] - here) / size;
                b[d] = (mesh.surface->position[core::at(face[(c + 2) % 3])][d] - here) / size;
            }
            const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
            const double angle =
                corner_angle(std::sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / std::numbers::pi;
            quality.least_angle = std::min(quality.least_angle, angle);
            widest = std::max(widest, angle);
        }
        quality.greatest_angle = std::max(quality.greatest_angle, widest);
        obtuse += widest > 90 + 1e-9;
    }
    quality.obtuse_percent = 100 * static_cast<double>(obtuse) / static_cast<double>(mesh.surface->faces.size());
    const MeshOperators& rows = *mesh.operators;
    quality.negative_percent = 100 * static_cast<double>(negative_weights(rows)) / static_cast<double>(rows.cotangent.size());
    for (const Vertex v : mesh.surface->in_file_order()) quality.area += rows.mass[core::at(v)];
    return quality;
}

Index negative_weights(const MeshOperators& rows) {
    return std::count_if(rows.cotangent.begin(), rows.cotangent.end(), [](double w) { return w < -1e-12; });
}

}  // namespace mottle::domain
