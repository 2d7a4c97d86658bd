// mottle/domain/mesh/vector_algebra.h: differences and products of points, in the order of operations that decides the bits of operators
#pragma once
#include "mottle/domain/mesh/mesh.h"

namespace mottle::domain {

inline Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace mottle::domain
