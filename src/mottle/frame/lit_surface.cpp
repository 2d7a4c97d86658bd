// mottle/frame/lit_surface.cpp: normals of vertices, and how much of the sky each of them sees
#include "mottle/frame/lit_surface.h"

#include "mottle/core/cancellation.h"
#include "mottle/frame/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::frame {
namespace {

constexpr float kNear = 2e-3F;  ///< what lies closer belongs to the same patch of skin
constexpr float kReach = 0.6F;  ///< what lies beyond hides no sky; the surface has radius 1
constexpr int kSmoothingRounds = 2;

/// Fewer rays where there are many vertices: their neighbours share the noise.
std::size_t ray_count(std::size_t vertices) { return vertices < 60'000 ? 64 : vertices < 200'000 ? 32 : 16; }

/// Two unit vectors that make a basis with n. Source: Duff et al., JCGT 6 (2017) 1.
void complete_basis(const Vec3& n, Vec3& a, Vec3& b) {
    const float sign = std::copysign(1.0F, n[2]);
    const float p = -1.0F / (sign + n[2]), q = n[0] * n[1] * p;
    a = {1.0F + sign * n[0] * n[0] * p, sign * q, -sign * n[0]};
    b = {q, sign + n[1] * n[1] * p, -n[1]};
}

/// Rays over the hemisphere of `normal`, more of them steep than shallow; turned by `spin` so that neighbours look elsewhere.
void set_sky_rays(const Vec3& point, const Vec3& normal, double spin, std::span<Ray> rays) {
    Vec3 a, b;
    complete_basis(normal, a, b);
    for (std::size_t k = 0; k < rays.size(); ++k) {
        const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(rays.size());
        const double angle = 2 * std::numbers::pi * (static_cast<double>(k) * 0.6180339887498949 + spin);
        const float out = static_cast<float>(std::sqrt(share)), up = static_cast<float>(std::sqrt(1 - share));
        const float x = out * static_cast<float>(std::cos(angle)), y = out * static_cast<float>(std::sin(angle));
        Ray& ray = rays[k];
        for (std::size_t d = 0; d < 3; ++d) {
            ray.origin[d] = point[d] + kNear * normal[d];
            ray.direction[d] = x * a[d] + y * b[d] + up * normal[d];
        }
        ray.nearest = kNear;
        ray.farthest = kReach;
    }
}

std::vector<float> measured_openness(const LitSurface& surface, core::ThreadTeam& team) {
    const std::size_t vertices = surface.points.size(), count = ray_count(vertices);
    std::vector<float> openness(vertices, 1.0F);
    const auto workers = core::at(team.size());
    team.run([&](int worker) {
        std::vector<Ray> rays(count);
        std::vector<std::uint8_t> blocked(count);
        const auto share = core::at(worker);
        for (std::size_t v = vertices * share / workers; v < vertices * (share + 1) / workers; ++v) {
            if (surface.normals[v] == Vec3{}) continue;
            core::cancellation_point();
            set_sky_rays(surface.points[v], surface.normals[v], static_cast<double>(v) * 0.7548776662466927, rays);
            surface.caster->find_blocked(rays, blocked);
            const auto hidden = std::count(blocked.begin(), blocked.end(), 1);
            openness[v] = 1.0F - static_cast<float>(hidden) / static_cast<float>(count);
        }
    });
    return openness;
}

/// Each vertex takes the mean of itself and the corners of its faces.
void smooth(std::vector<float>& values, std::span<const domain::Triangle> faces) {
    std::vector<float> sum(values.size()), weight(values.size());
    for (int round = 0; round < kSmoothingRounds; ++round) {
        std::copy(values.begin(), values.end(), sum.begin());
        std::fill(weight.begin(), weight.end(), 1.0F);
        for (const auto& face : faces) {
            const float total = values[core::at(face[0])] + values[core::at(face[1])] + values[core::at(face[2])];
            for (const auto corner : face) {
                sum[core::at(corner)] += total;
                weight[core::at(corner)] += 3.0F;
            }
        }
        for (std::size_t v = 0; v < values.size(); ++v) values[v] = sum[v] / weight[v];
    }
}

}  // namespace

std::vector<Vec3> normalised_points(const domain::Surface& surface) {
    std::array<double, 3> lowest{}, highest{};
    for (std::size_t d = 0; d < 3; ++d) {
        lowest[d] = HUGE_VAL;
        highest[d] = -HUGE_VAL;
        for (const domain::Point& p : surface.position) {
            lowest[d] = std::min(lowest[d], p[d]);
            highest[d] = std::max(highest[d], p[d]);
        }
    }
    // A first scaling by the longest side keeps tiny and huge coordinates inside the range of their squares.
    double side = 0;
    for (std::size_t d = 0; d < 3; ++d) side = std::max(side, highest[d] - lowest[d]);
    if (!(side > 0)) side = 1;
    auto placed = [&](const domain::Point& p, std::size_t d) { return (p[d] - lowest[d]) / side - (highest[d] - lowest[d]) / side / 2; };
    double radius = 0;
    for (const domain::Point& p : surface.position) radius = std::max(radius, std::hypot(placed(p, 0), placed(p, 1), placed(p, 2)));
    if (!(radius > 0)) radius = 1;
    std::vector<Vec3> points(surface.position.size());
    for (std::size_t v = 0; v < points.size(); ++v) {
        for (std::size_t d = 0; d < 3; ++d) points[v][d] = static_cast<float>(placed(surface.position[v], d) / radius);
    }
    return points;
}

std::vector<Vec3> smooth_normals(std::span<const Vec3> points, std::span<const domain::Triangle> faces) {
    std::vector<Vec3> normals(points.size());
    for (const auto& face : faces) {
        const Vec3* corner[3];
        for (std::size_t k = 0; k < 3; ++k) corner[k] = &points[core::at(face[k])];
        const Vec3 normal = unit(cross(sub(*corner[1], *corner[0]), sub(*corner[2], *corner[0])));
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = unit(sub(*corner[(k + 1) % 3], *corner[k])), b = unit(sub(*corner[(k + 2) % 3], *corner[k]));
            const float angle = std::acos(std::clamp(dot(a, b), -1.0F, 1.0F));
            Vec3& sum = normals[core::at(face[k])];
            for (std::size_t d = 0; d < 3; ++d) sum[d] += angle * normal[d];
        }
    }
    for (Vec3& normal : normals) normal = unit(normal);
    return normals;
}

domain::Surface whole_surface(const domain::Surface& surface) {
    domain::Surface whole;
    whole.position = surface.position;
    whole.faces = surface.faces;
    std::vector<domain::Vertex> vertex_of = surface.vertex_of;
    for (domain::Triangle face : surface.outside) {
        for (domain::Vertex& corner : face) {
            domain::Vertex& vertex = vertex_of[core::at(corner)];
            if (vertex < 0) {
                const auto found = std::lower_bound(surface.bare.begin(), surface.bare.end(), corner,
                                                    [](const auto& bare, domain::Vertex index) { return bare.first < index; });
                vertex = static_cast<domain::Vertex>(whole.position.size());
                whole.position.push_back(found->second);
            }
            corner = vertex;
        }
        whole.faces.push_back(face);
    }
    return whole;
}

LitSurface light_up(const domain::Surface& surface, CasterFactory open_caster, core::ThreadTeam& team, std::size_t most_faces) {
    LitSurface lit;
    domain::Surface whole = whole_surface(surface);
    lit.points = normalised_points(whole);
    lit.faces = std::move(whole.faces);
    lit.normals = smooth_normals(lit.points, lit.faces);
    while (lit.refinements.size() < kRefinements && 4 * lit.faces.size() <= most_faces) {
        const Refinement& finer = lit.refinements.emplace_back(lit.points, lit.normals, lit.faces);
        lit.points = finer.points();
        lit.normals = finer.normals();
        lit.faces = finer.faces();
    }
    lit.caster.reset(open_caster({lit.points, lit.faces, team.size()}));
    lit.openness = measured_openness(lit, team);
    smooth(lit.openness, lit.faces);
    return lit;
}

std::shared_ptr<const LitSurface> SurfaceLight::on(const domain::Surface& surface, CasterFactory open_caster, core::ThreadTeam& team) {
    if (of_ != &surface) lit_ = std::make_shared<const LitSurface>(light_up(surface, open_caster, team));
    of_ = &surface;
    return lit_;
}

}  // namespace mottle::frame
