// mottle/frame/ray_caster.h: the interface of the ray casting module (lib/mottle/mottle_embree.so)
#pragma once
#include "mottle/domain/mesh/mesh.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace mottle::frame {

using Vec3 = std::array<float, 3>;

struct Ray {
    Vec3 origin{};
    float nearest = 0;
    Vec3 direction{};
    float farthest = std::numeric_limits<float>::infinity();  ///< in lengths of `direction`
};

/// The point (1 - u - v) a + u b + v c of face (a, b, c).
struct Hit {
    std::int32_t face = -1;  ///< -1: nothing is hit
    float u = 0, v = 0;
};

/// Triangles that rays are cast at. Faces have two sides. Several threads may cast at a time.
class RayCaster {
   public:
    virtual ~RayCaster() = default;
    /// The nearest hit of each ray; rays beside each other should be neighbours. Shape: hits.size() == rays.size().
    virtual void cast(std::span<const Ray> rays, std::span<Hit> hits) const = 0;
    /// Whether something lies on each ray: 1 or 0.
    virtual void find_blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const = 0;
};

/// Copied by the caster.
struct Triangles {
    std::span<const Vec3> points;
    std::span<const domain::Triangle> faces;
    int threads = 1;
};

/// The symbol of the module that makes a caster, and its type.
inline constexpr const char* kCasterFactory = "mottle_open_caster";
using CasterFactory = RayCaster* (*)(const Triangles& triangles);

/// Opens the module. Throws: DeviceError that names the package if it is missing.
CasterFactory open_caster_module();

}  // namespace mottle::frame
