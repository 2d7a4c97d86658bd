// mottle/benchmarks/baseline/surface_rows.cpp: cotangent weights, masses, angles and gradients from the positions
#include "baseline/surface_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#if MOTTLE_HAVE_METIS
#include <metis.h>
#endif

namespace mottle::benchmarks {
namespace {

using Vector = std::array<double, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

}  // namespace

SurfaceRows surface_rows(const SurfaceProblem& problem) {
    const std::size_t vertices = problem.position.size();
    SurfaceRows rows;
    rows.face_first.assign(vertices + 1, 0);
    for (const auto& f : problem.faces) {
        for (const int v : f) ++rows.face_first[static_cast<std::size_t>(v) + 1];
    }
    for (std::size_t v = 0; v < vertices; ++v) rows.face_first[v + 1] += rows.face_first[v];
    rows.face.resize(static_cast<std::size_t>(rows.face_first[vertices]));
    std::vector<int> next(rows.face_first.begin(), rows.face_first.end() - 1);
    for (std::size_t f = 0; f < problem.faces.size(); ++f) {
        for (const int v : problem.faces[f]) rows.face[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<int>(f);
    }
    rows.angle.resize(rows.face.size());
    rows.first.assign(1, 0);
    for (std::size_t v = 0; v < vertices; ++v) {
        struct Weights {
            double w = 0;
            Vector g{};
        };
        std::map<int, Weights> ring;
        double mass = 0, angles = 0;
        const auto begin = static_cast<std::size_t>(rows.face_first[v]), end = static_cast<std::size_t>(rows.face_first[v + 1]);
        auto corner = [&](std::size_t q) {  // the face's other two vertices, in order
            const auto& f = problem.faces[static_cast<std::size_t>(rows.face[q])];
            const std::size_t place = f[0] == static_cast<int>(v) ? 0 : f[1] == static_cast<int>(v) ? 1 : 2;
            return std::pair(f[(place + 1) % 3], f[(place + 2) % 3]);
        };
        for (std::size_t q = begin; q < end; ++q) {
            const auto [j, k] = corner(q);
            const Vector a = minus(problem.position[static_cast<std::size_t>(j)], problem.position[v]),
                         b = minus(problem.position[static_cast<std::size_t>(k)], problem.position[v]);
            const double twice_area = std::sqrt(dot(cross(a, b), cross(a, b)));
            rows.angle[q] = std::atan2(twice_area, dot(a, b));
            angles += rows.angle[q];
            mass += twice_area / 6;
        }
        for (std::size_t q = begin; q < end; ++q) {
            rows.angle[q] /= angles;
            const auto [j, k] = corner(q);
            const Vector &xi = problem.position[v], &xj = problem.position[static_cast<std::size_t>(j)],
                         &xk = problem.position[static_cast<std::size_t>(k)];
            const Vector normal = cross(minus(xj, xi), minus(xk, xi));
            const double twice_area = std::sqrt(dot(normal, normal)), share = rows.angle[q] / (twice_area * twice_area);
            ring[j].w += dot(minus(xi, xk), minus(xj, xk)) / twice_area / 2;
            ring[k].w += dot(minus(xi, xj), minus(xk, xj)) / twice_area / 2;
            const Vector of_j = cross(normal, minus(xi, xk)), of_k = cross(normal, minus(xj, xi));
            for (std::size_t d = 0; d < 3; ++d) {
                ring[j].g[d] += share * of_j[d];
                ring[k].g[d] += share * of_k[d];
            }
        }
        for (const auto& [j, weights] : ring) {
            rows.neighbour.push_back(j);
            rows.laplacian.push_back(weights.w / mass);
            rows.gx.push_back(weights.g[0]);
            rows.gy.push_back(weights.g[1]);
            rows.gz.push_back(weights.g[2]);
        }
        rows.first.push_back(static_cast<int>(rows.neighbour.size()));
    }
    return rows;
}

std::vector<int> metis_patches(const SurfaceRows& rows, int patch) {
#if MOTTLE_HAVE_METIS
    std::vector<idx_t> first(rows.first.begin(), rows.first.end()), neighbour(rows.neighbour.begin(), rows.neighbour.end());
    idx_t vertices = static_cast<idx_t>(first.size()) - 1, constraints = 1, parts = (vertices + patch - 1) / patch, cut = 0;
    std::vector<idx_t> part(first.size() - 1);
    if (parts > 1) {
        METIS_PartGraphKway(&vertices, &constraints, first.data(), neighbour.data(), nullptr, nullptr, nullptr, &parts, nullptr, nullptr,
                            nullptr, &cut, part.data());
    }
    return {part.begin(), part.end()};
#else
    (void)rows;
    (void)patch;
    return {};
#endif
}

}  // namespace mottle::benchmarks
