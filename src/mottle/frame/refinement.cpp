// mottle/frame/refinement.cpp: middles of edges, gradients of vertices, and the cubic through them
#include "mottle/frame/refinement.h"

#include "mottle/frame/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace mottle::frame {
namespace {

constexpr float kCrease = 0.3F;  ///< cosine between the normals of the ends of an edge below which it stays straight

/// Calls work(i) for i = 0 .. count - 1, a share on each thread.
template <class Work>
void for_all(core::ThreadTeam& team, std::size_t count, const Work& work) {
    const auto workers = core::at(team.size());
    team.run([&](int worker) {
        const auto share = core::at(worker);
        for (std::size_t i = count * share / workers; i < count * (share + 1) / workers; ++i) work(i);
    });
}

}  // namespace

Refinement::Refinement(std::span<const Vec3> points, std::span<const Vec3> normals, std::span<const domain::Triangle> faces)
    : coarse_(points.size()),
      points_(points.begin(), points.end()),
      normals_(normals.begin(), normals.end()),
      coarse_faces_(faces.begin(), faces.end()) {
    add_middles(faces);
    prepare_gradients(points, faces);
}

void Refinement::add_middle(Edge ends) {
    const auto i = core::at(ends.a), j = core::at(ends.b);
    const Vec3 p = points_[i], q = points_[j], edge = sub(q, p), m = normals_[i], n = normals_[j];
    const bool smooth = dot(m, n) > kCrease;
    const float along_m = dot(m, edge), along_n = dot(n, edge), square = dot(edge, edge);
    const float lift = smooth ? 0.125F : 0.0F, tilt = smooth && square > 0 ? 2 * (along_m + along_n) / square : 0.0F;
    Vec3 place, between, normal;
    for (std::size_t d = 0; d < 3; ++d) {
        // Of the slopes at the ends the common part, the edge itself, cancels.
        place[d] = 0.5F * (p[d] + q[d]) + lift * (along_n * n[d] - along_m * m[d]);
        between[d] = m[d] + n[d] - tilt * edge[d];
    }
    const float size = length(between);
    for (std::size_t d = 0; d < 3; ++d) normal[d] = 0.25F * (m[d] + n[d]) + (size > 0 ? 0.5F * between[d] / size : 0.0F);
    const float whole = length(normal);
    for (float& x : normal) x = whole > 0 ? x / whole : 0.0F;
    edges_.push_back(ends);
    points_.push_back(place);
    normals_.push_back(normal);
}

void Refinement::add_middles(std::span<const domain::Triangle> faces) {
    std::unordered_map<std::uint64_t, domain::Vertex> middles;
    middles.reserve(faces.size() * 2);
    const auto middle = [&](domain::Vertex from, domain::Vertex to) {
        const auto [a, b] = std::minmax(from, to);
        const auto key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
        const auto [found, added] = middles.try_emplace(key, static_cast<domain::Vertex>(points_.size()));
        if (added) add_middle({a, b});
        return found->second;
    };
    faces_.reserve(4 * faces.size());
    for (const auto& [a, b, c] : faces) {
        const domain::Vertex ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        faces_.push_back({a, ab, ca});
        faces_.push_back({ab, b, bc});
        faces_.push_back({ca, bc, c});
        faces_.push_back({ab, bc, ca});
    }
}

void Refinement::prepare_gradients(std::span<const Vec3> points, std::span<const domain::Triangle> faces) {
    face_rows_.resize(faces.size());
    first_.assign(points.size() + 1, 0);
    for (const auto& face : faces) {
        for (const domain::Vertex corner : face) ++first_[core::at(corner) + 1];
    }
    for (std::size_t v = 0; v < points.size(); ++v) first_[v + 1] += first_[v];
    around_.resize(3 * faces.size());
    angle_.resize(3 * faces.size());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const Vec3* corner[3];
        for (std::size_t k = 0; k < 3; ++k) corner[k] = &points[core::at(faces[f][k])];
        const Vec3 p = sub(*corner[1], *corner[0]), q = sub(*corner[2], *corner[0]);
        const float pp = dot(p, p), pq = dot(p, q), qq = dot(q, q), area = pp * qq - pq * pq;
        if (area > 0) {
            for (std::size_t d = 0; d < 3; ++d) {
                face_rows_[f][0][d] = (qq * p[d] - pq * q[d]) / area;
                face_rows_[f][1][d] = (pp * q[d] - pq * p[d]) / area;
            }
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = sub(*corner[(k + 1) % 3], *corner[k]), b = sub(*corner[(k + 2) % 3], *corner[k]);
            const float sizes = length(a) * length(b);
            const auto at = core::at(next[core::at(faces[f][k])]++);
            around_[at] = static_cast<std::int32_t>(f);
            angle_[at] = sizes > 0 ? std::acos(std::clamp(dot(a, b) / sizes, -1.0F, 1.0F)) : 0.0F;
        }
    }
}

void Refinement::refine(std::span<const float> from, std::vector<float>& to, core::ThreadTeam& team) const {
    std::vector<Vec3> in_face(face_rows_.size()), at_vertex(coarse_);
    for_all(team, in_face.size(), [&](std::size_t f) {
        const auto& [a, b, c] = coarse_faces_[f];
        const float value = from[core::at(a)], p = from[core::at(b)] - value, q = from[core::at(c)] - value;
        for (std::size_t d = 0; d < 3; ++d) in_face[f][d] = p * face_rows_[f][0][d] + q * face_rows_[f][1][d];
    });
    for_all(team, coarse_, [&](std::size_t v) {
        Vec3 sum{};
        float weight = 0;
        for (auto at = core::at(first_[v]); at < core::at(first_[v + 1]); ++at) {
            const Vec3& gradient = in_face[core::at(around_[at])];
            if (!std::isfinite(gradient[0] + gradient[1] + gradient[2])) continue;
            for (std::size_t d = 0; d < 3; ++d) sum[d] += angle_[at] * gradient[d];
            weight += angle_[at];
        }
        for (std::size_t d = 0; d < 3; ++d) at_vertex[v][d] = weight > 0 ? sum[d] / weight : 0.0F;
    });
    to.resize(points_.size());
    std::copy(from.begin(), from.end(), to.begin());
    for_all(team, edges_.size(), [&](std::size_t e) {
        const auto a = core::at(edges_[e].a), b = core::at(edges_[e].b);
        const Vec3 edge = sub(points_[b], points_[a]);
        to[coarse_ + e] = 0.5F * (from[a] + from[b]) + 0.125F * (dot(at_vertex[a], edge) - dot(at_vertex[b], edge));
    });
}

}  // namespace mottle::frame
