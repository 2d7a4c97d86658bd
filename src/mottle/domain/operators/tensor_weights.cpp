// mottle/domain/operators/tensor_weights.cpp: face by face the stiffness of a tensor, then gathered into rows
#include "mottle/domain/operators/tensor_weights.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/incidence.h"
#include "mottle/domain/operators/unit_frame.h"
#include "mottle/domain/mesh/vector_algebra.h"

#include <algorithm>
#include <cmath>

namespace mottle::domain {

namespace {

constexpr double kSmallestShare = 1e-12;  // of the squared direction, in the plane of a face

using core::at;

/// Divided by its largest component, so that squares stay in range; 0 stays 0.
Point shortened(const Point& d) {
    const double largest = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
    return largest > 0 ? Point{d[0] / largest, d[1] / largest, d[2] / largest} : d;
}

/// Of the edges opposite each corner: -A grad(phi_j) . T grad(phi_k), for j and k at its ends.
std::array<double, 3> face_weights(const std::array<Point, 3>& p, const Triangle& face, const TensorField& tensor) {
    const std::array<Point, 3> edge = {minus(p[2], p[1]), minus(p[0], p[2]), minus(p[1], p[0])};
    const Point normal = cross(edge[2], {-edge[1][0], -edge[1][1], -edge[1][2]});
    const double twice_area = std::sqrt(dot(normal, normal));
    const Point unit = {normal[0] / twice_area, normal[1] / twice_area, normal[2] / twice_area};
    std::array<double, 3> weights{};
    for (const Vertex vertex : face) {
        const auto v = at(vertex);
        const double along = tensor.along[v], across = tensor.across[v];
        const Point d = shortened(tensor.direction[v]);
        const double lift = dot(d, unit);
        const Point flat = {d[0] - lift * unit[0], d[1] - lift * unit[1], d[2] - lift * unit[2]};
        const double squared = dot(flat, flat);
        if (!(squared > kSmallestShare * dot(d, d))) {
            for (std::size_t c = 0; c < 3; ++c) weights[c] -= 0.5 * (along + across) * dot(edge[(c + 1) % 3], edge[(c + 2) % 3]);
            continue;
        }
        // grad(phi) of a corner is its opposite edge, turned by 90 degrees, over twice the area: along the direction it is what lies across of that edge.
        const Point turned = cross(unit, flat);
        for (std::size_t c = 0; c < 3; ++c) {
            const Point &j = edge[(c + 1) % 3], &k = edge[(c + 2) % 3];
            weights[c] -= (along * (dot(j, turned) * dot(k, turned)) + across * (dot(j, flat) * dot(k, flat))) / squared;
        }
    }
    for (double& w : weights) w /= 6 * twice_area;  // a third of 1/4A
    return weights;
}

void check_finite(const Mesh& mesh, const TensorField& tensor) {
    for (const Vertex vertex : mesh.surface->in_file_order()) {
        const auto v = at(vertex);
        const Point& d = tensor.direction[v];
        for (const double value : {tensor.along[v], tensor.across[v], d[0], d[1], d[2]}) {
            if (std::isfinite(value)) continue;
            throw core::InputError(mesh.surface->name + ": the tensor at vertex " + std::to_string(mesh.surface->original[v]) + " holds " +
                                   core::number_text(value) + "; along, across and the direction must be finite everywhere");
        }
    }
}

}  // namespace

std::vector<double> tensor_weights(const Mesh& mesh, const TensorField& tensor, core::ThreadTeam& team) {
    check_finite(mesh, tensor);
    const std::vector<Triangle>& faces = mesh.surface->faces;
    const std::vector<Point> position = unit_frame(*mesh.surface, team).position;
    std::vector<std::array<double, 3>> of_face(faces.size());
    share_out(team, static_cast<Index>(faces.size()), [&](Index begin, Index end, int) {
        for (Index f = begin; f < end; ++f) {
            const Triangle& face = faces[at(f)];
            of_face[at(f)] = face_weights({position[at(face[0])], position[at(face[1])], position[at(face[2])]}, face, tensor);
        }
    });
    // Both rows of an edge add the same faces in the same order.
    const MeshOperators& rows = *mesh.operators;
    const Incidence incidence = incidence_of(faces, position.size(), team);
    std::vector<double> weights(rows.neighbour.size());
    share_out(team, static_cast<Index>(position.size()), [&](Index begin, Index end, int) {
        std::vector<Spoke> spokes;
        for (Index i = begin; i < end; ++i) {
            const std::span<const Corner> corners = incidence.at(static_cast<Vertex>(i));
            spokes_of(corners, mesh.surface->original, spokes);
            Index entry = rows.first[at(i)];
            for (const Spoke& spoke : spokes) {
                while (rows.neighbour[at(entry)] != spoke.neighbour) ++entry;
                const Corner& corner = corners[spoke.corner];
                const std::uint32_t own = corner.place % 3;
                weights[at(entry)] += of_face[corner.face()][(own + (spoke.leaving ? 2 : 1)) % 3];
            }
            for (Index e = rows.first[at(i)]; e < rows.first[at(i) + 1]; ++e) weights[at(e)] /= rows.mass[at(i)];
        }
    });
    return weights;
}

}  // namespace mottle::domain
