// mottle/frame/camera.cpp: a perspective view that holds all of a surface
#include "mottle/frame/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::frame {
namespace {

using Vector = std::array<double, 3>;

constexpr double kFieldOfView = 28;  ///< degrees, along the shorter side of the picture
constexpr double kFilled = 0.92;     ///< share of the picture that the surface may fill
constexpr double kFlat = 1e-3;       ///< a box thinner than this, relative to its longest side, is looked at from the front
constexpr double kNearest = 1e-3;    ///< the eye keeps this distance to the middle even at distance 0

double scalar_product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector vector_of(const Vec3& p) { return {p[0], p[1], p[2]}; }
Vector combined(const Vector& a, double s, const Vector& b) { return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]}; }

/// Half the sides of the bounding box.
Vector extent_of(std::span<const Vec3> points) {
    Vector extent{};
    for (const Vec3& p : points) {
        for (std::size_t d = 0; d < 3; ++d) extent[d] = std::max(extent[d], std::abs(static_cast<double>(p[d])));
    }
    return extent;
}

/// Circles about the y axis round which the points would go: the widest of each of 32 layers, at its lowest and its highest point.
std::vector<Vector> swept(std::span<const Vec3> points) {
    constexpr std::size_t kLayers = 32;
    constexpr int kRound = 48;
    struct Layer {
        double radius = 0, bottom = 1e300, top = -1e300;
    };
    std::array<Layer, kLayers> layers;
    const double height = extent_of(points)[1];
    for (const Vec3& p : points) {
        const double share = height > 0 ? (p[1] + height) / (2 * height) : 0;
        Layer& layer = layers[std::min(static_cast<std::size_t>(std::max(share, 0.0) * kLayers), kLayers - 1)];
        layer.radius = std::max(layer.radius, std::hypot(static_cast<double>(p[0]), static_cast<double>(p[2])));
        layer.bottom = std::min(layer.bottom, static_cast<double>(p[1]));
        layer.top = std::max(layer.top, static_cast<double>(p[1]));
    }
    std::vector<Vector> rims;
    for (const Layer& layer : layers) {
        if (layer.bottom > layer.top) continue;
        // A polygon round the circle, not in it.
        const double radius = layer.radius / std::cos(std::numbers::pi / kRound);
        for (int k = 0; k < kRound; ++k) {
            const double angle = 2 * k * std::numbers::pi / kRound;
            for (const double y : {layer.bottom, layer.top}) rims.push_back({radius * std::cos(angle), y, radius * std::sin(angle)});
        }
    }
    return rims;
}

struct Bounds {
    double left = 0, right = 0, bottom = 0, top = 0;
};

/// Of the directions to `points` seen from `eye`, as slopes.
Bounds bounds_of(const std::vector<Vector>& points, const Sight& sight) {
    Bounds bounds{1e300, -1e300, 1e300, -1e300};
    for (const Vector& p : points) {
        const Vector from = combined(p, -1, sight.eye);
        const double depth = -scalar_product(from, sight.back);
        const double x = scalar_product(from, sight.right) / depth, y = scalar_product(from, sight.up) / depth;
        bounds = {std::min(bounds.left, x), std::max(bounds.right, x), std::min(bounds.bottom, y), std::max(bounds.top, y)};
    }
    return bounds;
}

/// The distance from `target` at which all points lie within the slopes.
double fitting_distance(const std::vector<Vector>& points, const Sight& sight, const Vector& target, double slope_x, double slope_y) {
    double distance = 0;
    for (const Vector& p : points) {
        const Vector from = combined(p, -1, target);
        const double towards = scalar_product(from, sight.back);
        distance = std::max({distance, towards + std::abs(scalar_product(from, sight.right)) / slope_x,
                             towards + std::abs(scalar_product(from, sight.up)) / slope_y});
    }
    return distance;
}

}  // namespace

std::array<double, 2> angles_of(const Camera& camera, const std::array<double, 3>& sides) {
    if (camera.angles) return *camera.angles;
    const double longest = *std::max_element(sides.begin(), sides.end());
    if (sides[2] <= kFlat * longest) return {0, 0};
    if (sides[1] <= kFlat * longest) return {0, 90};
    if (sides[0] <= kFlat * longest) return {90, 0};
    return kDefaultAngles;
}

Directions directions_of(const std::array<double, 2>& angles) {
    const double azimuth = angles[0] * std::numbers::pi / 180, elevation = angles[1] * std::numbers::pi / 180;
    return {{std::cos(azimuth), 0, -std::sin(azimuth)},
            {-std::sin(azimuth) * std::sin(elevation), std::cos(elevation), -std::cos(azimuth) * std::sin(elevation)},
            {std::sin(azimuth) * std::cos(elevation), std::sin(elevation), std::cos(azimuth) * std::cos(elevation)}};
}

Sight aim(const Camera& camera, std::span<const Vec3> points, std::array<int, 2> pixels, double turned, bool turning) {
    const auto [azimuth, elevation] = angles_of(camera, extent_of(points));
    Sight sight;
    static_cast<Directions&>(sight) = directions_of({azimuth + turned, elevation});

    const double width = pixels[0], height = pixels[1], shorter = std::min(width, height);
    const double slope = std::tan(kFieldOfView * std::numbers::pi / 360);
    const double slope_x = slope * width / shorter, slope_y = slope * height / shorter;

    std::vector<Vector> held;
    if (turning)
        held = swept(points);
    else
        std::transform(points.begin(), points.end(), std::back_inserter(held), vector_of);
    // The middle of the picture goes to the middle of what is seen; a few rounds settle it.
    Vector target{};
    double distance = 1;
    for (int round = 0; round < 4; ++round) {
        distance = std::max(fitting_distance(held, sight, target, kFilled * slope_x, kFilled * slope_y), kNearest);
        sight.eye = combined(target, distance, sight.back);
        const Bounds seen = bounds_of(held, sight);
        if (!turning) target = combined(target, (seen.left + seen.right) / 2 * distance, sight.right);
        target = combined(target, (seen.bottom + seen.top) / 2 * distance, sight.up);
    }
    distance = std::max(fitting_distance(held, sight, target, kFilled * slope_x, kFilled * slope_y) * camera.distance, kNearest);
    sight.eye = combined(target, distance, sight.back);
    for (std::size_t d = 0; d < 3; ++d) {
        sight.across[d] = 2 * slope_x / width * sight.right[d];
        sight.down[d] = -2 * slope_y / height * sight.up[d];
        sight.corner[d] = -sight.back[d] - slope_x * sight.right[d] + slope_y * sight.up[d];
    }
    return sight;
}

}  // namespace mottle::frame
