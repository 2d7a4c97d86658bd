// mottle/frame/vector_algebra.h: differences, products and lengths of the vectors that are drawn
#pragma once
#include "mottle/frame/ray_caster.h"

#include <cmath>

namespace mottle::frame {

inline Vec3 sub(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline float dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline float length(const Vec3& a) { return std::sqrt(dot(a, a)); }
/// `otherwise` where a has no direction.
inline Vec3 unit(const Vec3& a, const Vec3& otherwise = {}) {
    const float size = length(a);
    return size > 0 ? Vec3{a[0] / size, a[1] / size, a[2] / size} : otherwise;
}

}  // namespace mottle::frame
