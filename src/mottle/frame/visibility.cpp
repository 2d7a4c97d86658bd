// mottle/frame/visibility.cpp: one ray per pixel, more where a silhouette or a crease runs through it, and the light on what they hit
#include "mottle/frame/visibility.h"

#include "mottle/core/cancellation.h"
#include "mottle/frame/vector_algebra.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace mottle::frame {
namespace {

Vec3 float_of(const std::array<double, 3>& a) { return {static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])}; }

// ---- light ------------------------------------------------------------------------------------------------------------------------------------------
// Lights stand still before the viewer: x right, y up, z towards the viewer.

constexpr Vec3 kTowardsViewer = {0, 0, 1};
const Vec3 kKey = unit({-0.5F, 0.75F, 0.65F}), kFill = unit({0.85F, 0.05F, 0.5F});
constexpr float kSky = 0.17F, kSkyFromAbove = 0.08F, kKeyLight = 0.98F, kKeyWrap = 0.2F, kFillLight = 0.16F, kRim = 0.12F;
constexpr float kShine = 0.10F;
constexpr int kShineSquarings = 6;      ///< the highlight is the 64th power of a cosine
constexpr float kOpennessInKey = 0.5F;  ///< share of the direct light that narrow places lose

struct Light {
    float shade, gloss;
};

/// Of a point with unit normal `n` towards a viewer in direction `view`, in the axes of the picture.
Light light_on(const Vec3& n, const Vec3& view, float openness) {
    const float key = std::max(0.0F, (dot(n, kKey) + kKeyWrap) / (1 + kKeyWrap)), fill = std::max(0.0F, dot(n, kFill));
    const float facing = std::clamp(dot(n, view), 0.0F, 1.0F), rim = (1 - facing) * (1 - facing) * (1 - facing);
    const float direct = 1 - kOpennessInKey + kOpennessInKey * openness;
    const float shade = openness * (kSky + kSkyFromAbove * n[1] + kRim * rim) + direct * (kKeyLight * key + kFillLight * fill);
    const Vec3 half = unit({kKey[0] + view[0], kKey[1] + view[1], kKey[2] + view[2]}, kTowardsViewer);
    float shine = std::max(0.0F, dot(n, half));
    for (int k = 0; k < kShineSquarings; ++k) shine *= shine;
    return {std::max(shade, 0.02F), kShine * direct * shine};
}

std::uint16_t fixed(float value, float one) { return static_cast<std::uint16_t>(std::clamp(value * one + 0.5F, 0.0F, 65535.0F)); }

// ---- rays -------------------------------------------------------------------------------------------------------------------------------------------

/// Offsets of the samples of an edge pixel from its corner, in sixteenths: no two in one column or row.
constexpr std::array<std::array<int, 2>, kEdgeSamples> kOffsets = {{{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}}};
/// Neighbouring pixels whose normals differ by more than this cosine, or whose depths by more than so many widths of a pixel, are an edge.
constexpr float kFold = 0.85F, kStep = 5.0F;

/// What a pixel's centre sees, for finding edges.
struct Seen {
    Hit hit;
    Vec3 normal{};
    float depth = 0;
};

/// A rectangle of pixels: [left, right) x [top, bottom).
struct Window {
    int left = 0, top = 0, right = 0, bottom = 0;
};

/// The pixels that can show something, with an empty one all round where the picture goes on.
Window window_of(std::span<const Vec3> points, const Sight& sight, std::array<int, 2> pixels) {
    auto along = [](const std::array<double, 3>& a, const std::array<double, 3>& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    const double wide = along(sight.across, sight.across), high = along(sight.down, sight.down);
    double left = pixels[0], right = 0, top = pixels[1], bottom = 0;
    for (const Vec3& p : points) {
        const std::array<double, 3> from = {p[0] - sight.eye[0], p[1] - sight.eye[1], p[2] - sight.eye[2]};
        const double depth = -along(from, sight.back);
        if (!(depth > 0)) return {0, 0, pixels[0], pixels[1]};  // beside or behind the eye
        std::array<double, 3> slope{};
        for (std::size_t d = 0; d < 3; ++d) slope[d] = from[d] / depth - sight.corner[d];
        const double x = along(slope, sight.across) / wide, y = along(slope, sight.down) / high;
        left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    }
    constexpr double kMargin = 2;
    auto clamped = [](double value, int most) { return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most))); };
    return {clamped(left - kMargin, pixels[0]), clamped(top - kMargin, pixels[1]), clamped(right + kMargin + 1, pixels[0]),
            clamped(bottom + kMargin + 1, pixels[1])};
}

class Looker {
   public:
    Looker(const LitSurface& surface, const Sight& sight, Window window)
        : surface_(surface),
          sight_(sight),
          window_(window),
          width_(std::max(window.right - window.left, 0)),
          right_(float_of(sight.right)),
          up_(float_of(sight.up)),
          back_(float_of(sight.back)),
          pixel_(static_cast<float>(
              std::sqrt(sight.across[0] * sight.across[0] + sight.across[1] * sight.across[1] + sight.across[2] * sight.across[2]))),
          seen_(core::at(width_) * core::at(std::max(window.bottom - window.top, 0))) {}

    /// `rays` and `hits` are room for a row.
    void see_row(int y, std::vector<Ray>& rays, std::vector<Hit>& hits) {
        rays.resize(core::at(width_));
        hits.resize(rays.size());
        for (int x = 0; x < width_; ++x) rays[core::at(x)] = ray_through(window_.left + x + 0.5, y + 0.5);
        surface_.caster->cast(rays, hits);
        for (std::size_t x = 0; x < hits.size(); ++x) {
            Seen& seen = seen_[core::at(y - window_.top) * hits.size() + x];
            seen = {};
            seen.hit = hits[x];
            if (hits[x].face < 0) continue;
            seen.normal = normal_at(hits[x], rays[x].direction);
            const Vec3 point = point_at(hits[x]);
            seen.depth = dot({rays[x].origin[0] - point[0], rays[x].origin[1] - point[1], rays[x].origin[2] - point[2]}, back_);
        }
    }

    /// `row` is empty.
    void fill_row(int y, VisibleRow& row) const {
        for (int x = window_.left; x < window_.right; ++x) {
            const Seen& seen = at(x, y);
            const bool edge = is_edge(x, y);
            if (!edge && seen.hit.face < 0) continue;
            const int samples = edge ? kEdgeSamples : 1;
            if (row.runs.empty() || row.runs.back().samples != samples || row.runs.back().first + row.runs.back().length != x) {
                row.runs.push_back({x, 0, samples});
            }
            ++row.runs.back().length;
            if (edge)
                add_edge(x, y, row.samples);
            else
                row.samples.push_back(sample_of(seen.hit, ray_through(x + 0.5, y + 0.5).direction, seen.normal));
        }
    }

   private:
    const Seen& at(int x, int y) const { return seen_[core::at(y - window_.top) * core::at(width_) + core::at(x - window_.left)]; }

    Ray ray_through(double x, double y) const {
        Ray ray;
        ray.origin = float_of(sight_.eye);
        for (std::size_t d = 0; d < 3; ++d)
            ray.direction[d] = static_cast<float>(sight_.corner[d] + x * sight_.across[d] + y * sight_.down[d]);
        return ray;
    }

    template <class Value>
    Value mixed(const Hit& hit, const std::vector<Value>& values) const {
        const auto& face = surface_.faces[core::at(hit.face)];
        const Value &a = values[core::at(face[0])], &b = values[core::at(face[1])], &c = values[core::at(face[2])];
        const float w = 1 - hit.u - hit.v;
        if constexpr (std::is_same_v<Value, float>) {
            return w * a + hit.u * b + hit.v * c;
        } else {
            return {w * a[0] + hit.u * b[0] + hit.v * c[0], w * a[1] + hit.u * b[1] + hit.v * c[1], w * a[2] + hit.u * b[2] + hit.v * c[2]};
        }
    }
    Vec3 point_at(const Hit& hit) const { return mixed(hit, surface_.points); }

    /// Unit, on the side of the viewer.
    Vec3 normal_at(const Hit& hit, const Vec3& direction) const {
        Vec3 normal = unit(mixed(hit, surface_.normals), kTowardsViewer);
        if (dot(normal, direction) > 0) {
            // Smooth normals lean over the horizon of a rounded body; only what is seen from behind is turned.
            const auto& face = surface_.faces[core::at(hit.face)];
            const Vec3 &a = surface_.points[core::at(face[0])], &b = surface_.points[core::at(face[1])],
                       &c = surface_.points[core::at(face[2])];
            const Vec3 p{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            const Vec3 flat{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
            if (dot(flat, direction) > 0) normal = {-normal[0], -normal[1], -normal[2]};
        }
        return normal;
    }

    bool differ(const Seen& a, const Seen& b) const {
        if ((a.hit.face < 0) != (b.hit.face < 0)) return true;
        if (a.hit.face < 0 || a.hit.face == b.hit.face) return false;
        return dot(a.normal, b.normal) < kFold || std::abs(a.depth - b.depth) > kStep * pixel_ * std::min(a.depth, b.depth);
    }
    bool is_edge(int x, int y) const {
        const Seen& here = at(x, y);
        return (x > window_.left && differ(here, at(x - 1, y))) || (x + 1 < window_.right && differ(here, at(x + 1, y))) ||
               (y > window_.top && differ(here, at(x, y - 1))) || (y + 1 < window_.bottom && differ(here, at(x, y + 1)));
    }

    Sample sample_of(const Hit& hit, const Vec3& direction, const Vec3& normal) const {
        Sample sample;
        const Vec3 view = unit({-direction[0], -direction[1], -direction[2]}, kTowardsViewer);
        const Light light = light_on({dot(normal, right_), dot(normal, up_), dot(normal, back_)},
                                     {dot(view, right_), dot(view, up_), dot(view, back_)}, mixed(hit, surface_.openness));
        sample.vertex = surface_.faces[core::at(hit.face)];
        sample.weight = {fixed(hit.u, 65536.0F), fixed(hit.v, 65536.0F)};
        sample.shade = fixed(light.shade, kShadeOne);
        sample.gloss = fixed(light.gloss, 65535.0F);
        return sample;
    }

    void add_edge(int x, int y, std::vector<Sample>& samples) const {
        std::array<Ray, kEdgeSamples> rays;
        std::array<Hit, kEdgeSamples> hits;
        for (std::size_t k = 0; k < kEdgeSamples; ++k) rays[k] = ray_through(x + kOffsets[k][0] / 16.0, y + kOffsets[k][1] / 16.0);
        surface_.caster->cast(rays, hits);
        for (std::size_t k = 0; k < kEdgeSamples; ++k) {
            const Vec3& direction = rays[k].direction;
            samples.push_back(hits[k].face < 0 ? Sample{} : sample_of(hits[k], direction, normal_at(hits[k], direction)));
        }
    }

    const LitSurface& surface_;
    const Sight& sight_;
    Window window_;
    int width_;
    Vec3 right_, up_, back_;
    float pixel_;  ///< width of a pixel at depth 1
    std::vector<Seen> seen_;
};

}  // namespace

void look(const LitSurface& surface, const Sight& sight, std::array<int, 2> pixels, std::vector<VisibleRow>& rows, core::ThreadTeam& team) {
    const Window window = window_of(surface.points, sight, pixels);
    Looker looker(surface, sight, window);
    rows.resize(core::at(pixels[1]));
    for (VisibleRow& row : rows) row.runs.clear(), row.samples.clear();
    std::atomic<int> next_seen = window.top, next_filled = window.top;
    team.run([&](int) {
        std::vector<Ray> rays;
        std::vector<Hit> hits;
        for (int y = next_seen++; y < window.bottom; y = next_seen++) {
            core::cancellation_point();
            looker.see_row(y, rays, hits);
        }
    });
    team.run([&](int) {
        for (int y = next_filled++; y < window.bottom; y = next_filled++) {
            core::cancellation_point();
            looker.fill_row(y, rows[core::at(y)]);
        }
    });
}

}  // namespace mottle::frame
