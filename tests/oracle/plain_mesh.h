// tests/oracle/plain_mesh.h: the surface operators as the formulas stand, face by face in plain loops; includes nothing from src/
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace plain {

using Vector = std::array<double, 3>;
using Face = std::array<int, 3>;

struct PlainMesh {
    std::vector<Vector> position;
    std::vector<Face> faces;
};

inline Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// The incident angle at place `c` of a face, and the cotangent of it.
inline double angle(const PlainMesh& mesh, const Face& face, int c) {
    const Vector& p = mesh.position[static_cast<std::size_t>(face[static_cast<std::size_t>(c)])];
    const Vector a = minus(mesh.position[static_cast<std::size_t>(face[static_cast<std::size_t>((c + 1) % 3)])], p);
    const Vector b = minus(mesh.position[static_cast<std::size_t>(face[static_cast<std::size_t>((c + 2) % 3)])], p);
    return std::atan2(length(cross(a, b)), dot(a, b));
}

/// lap(f)_i = 1/m_i sum over faces of (cot alpha + cot beta)/2 (f_j - f_i), m_i a third of the incident areas.
inline std::vector<double> laplacian(const PlainMesh& mesh, const std::vector<double>& f) {
    std::vector<double> sum(f.size()), mass(f.size());
    for (const Face& face : mesh.faces) {
        for (int c = 0; c < 3; ++c) {
            const auto i = static_cast<std::size_t>(face[static_cast<std::size_t>((c + 1) % 3)]);
            const auto j = static_cast<std::size_t>(face[static_cast<std::size_t>((c + 2) % 3)]);
            const auto k = static_cast<std::size_t>(face[static_cast<std::size_t>(c)]);
            const Vector a = minus(mesh.position[i], mesh.position[k]), b = minus(mesh.position[j], mesh.position[k]);
            const double twice_area = length(cross(a, b)), weight = 0.5 * dot(a, b) / twice_area;
            sum[i] += weight * (f[j] - f[i]);
            sum[j] += weight * (f[i] - f[j]);
            mass[k] += twice_area / 6;
        }
    }
    for (std::size_t i = 0; i < f.size(); ++i) sum[i] /= mass[i];
    return sum;
}

/// div(T*grad(f))_i = -1/m_i sum over faces of A grad(phi_i) . T grad(f), by 3x3 matrices: T is the mean over the vertices of a face of
/// along d d^T + across (I - n n^T - d d^T), d the vertex's direction in the plane of the face, of length 1.
inline std::vector<double> tensor_divergence(const PlainMesh& mesh, const std::vector<double>& f, const std::vector<double>& along,
                                             const std::vector<double>& across, const std::vector<Vector>& direction) {
    std::vector<double> sum(f.size()), mass(f.size());
    for (const Face& face : mesh.faces) {
        std::array<std::size_t, 3> v{};
        for (std::size_t c = 0; c < 3; ++c) v[c] = static_cast<std::size_t>(face[c]);
        Vector n = cross(minus(mesh.position[v[1]], mesh.position[v[0]]), minus(mesh.position[v[2]], mesh.position[v[0]]));
        const double twice_area = length(n);
        for (double& x : n) x /= twice_area;
        double t[3][3] = {};
        for (std::size_t c = 0; c < 3; ++c) {
            Vector d = direction[v[c]];
            const double lift = dot(d, n);
            for (std::size_t a = 0; a < 3; ++a) d[a] -= lift * n[a];
            const double size = length(d);
            for (std::size_t a = 0; a < 3; ++a) {
                for (std::size_t b = 0; b < 3; ++b) {
                    const double line = d[a] * d[b] / size / size, plane = (a == b ? 1 : 0) - n[a] * n[b];
                    t[a][b] += (along[v[c]] * line + across[v[c]] * (plane - line)) / 3;
                }
            }
        }
        std::array<Vector, 3> slope{};  // of the hat function of each corner
        Vector gradient{};
        for (std::size_t c = 0; c < 3; ++c) {
            slope[c] = cross(n, minus(mesh.position[v[(c + 2) % 3]], mesh.position[v[(c + 1) % 3]]));
            for (double& x : slope[c]) x /= twice_area;
            for (std::size_t a = 0; a < 3; ++a) gradient[a] += f[v[c]] * slope[c][a];
        }
        for (std::size_t c = 0; c < 3; ++c) {
            mass[v[c]] += twice_area / 6;
            for (std::size_t a = 0; a < 3; ++a) {
                for (std::size_t b = 0; b < 3; ++b) sum[v[c]] -= twice_area / 2 * slope[c][a] * t[a][b] * gradient[b];
            }
        }
    }
    for (std::size_t i = 0; i < f.size(); ++i) sum[i] /= mass[i];
    return sum;
}

/// In two phases: the gradient of the linear function on each face, grad f = (f_j - f_i) (x_i - x_k)^perp / 2A + (f_k - f_i) (x_j - x_i)^perp / 2A with
/// ^perp a quarter turn in the face; then at each vertex the mean of its faces weighted by their angles there.
inline std::vector<Vector> gradient(const PlainMesh& mesh, const std::vector<double>& f) {
    std::vector<Vector> sum(f.size());
    std::vector<double> angles(f.size());
    for (const Face& face : mesh.faces) {
        const auto i = static_cast<std::size_t>(face[0]), j = static_cast<std::size_t>(face[1]), k = static_cast<std::size_t>(face[2]);
        const Vector normal = cross(minus(mesh.position[j], mesh.position[i]), minus(mesh.position[k], mesh.position[i]));
        const double twice_area = length(normal);
        const Vector unit = {normal[0] / twice_area, normal[1] / twice_area, normal[2] / twice_area};
        const Vector of_j = cross(unit, minus(mesh.position[i], mesh.position[k])),
                     of_k = cross(unit, minus(mesh.position[j], mesh.position[i]));
        Vector face_gradient{};
        for (std::size_t d = 0; d < 3; ++d) face_gradient[d] = ((f[j] - f[i]) * of_j[d] + (f[k] - f[i]) * of_k[d]) / twice_area;
        for (int c = 0; c < 3; ++c) {
            const auto v = static_cast<std::size_t>(face[static_cast<std::size_t>(c)]);
            const double theta = angle(mesh, face, c);
            angles[v] += theta;
            for (std::size_t d = 0; d < 3; ++d) sum[v][d] += theta * face_gradient[d];
        }
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (double& x : sum[i]) x /= angles[i];
    }
    return sum;
}

}  // namespace plain
