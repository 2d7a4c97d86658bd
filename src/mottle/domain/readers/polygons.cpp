// mottle/domain/readers/polygons.cpp: cuts polygons into triangles: a fan where they are convex, else ear by ear
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/readers/read_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mottle::domain {

namespace {

constexpr std::size_t kMostConcaveCorners = 10000;  // clipping ears takes the square of their number

using Planar = std::array<double, 2>;

double turn(const Planar& a, const Planar& b, const Planar& c) { return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]); }

/// The corners seen along the normal of the polygon (Newell 1972), counterclockwise.
std::vector<Planar> flattened(std::span<const Point> corners) {
    Point lo = corners[0], normal{};
    double size = 0;
    for (const Point& p : corners) {
        for (std::size_t d = 0; d < 3; ++d) size = std::max(size, std::abs(0.5 * p[d] - 0.5 * lo[d]));
    }
    if (!(size > 0)) size = 1;
    std::vector<Point> unit;  // of size 1, so that no product overflows
    for (const Point& p : corners)
        unit.push_back({(0.5 * p[0] - 0.5 * lo[0]) / size, (0.5 * p[1] - 0.5 * lo[1]) / size, (0.5 * p[2] - 0.5 * lo[2]) / size});
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const Point &a = unit[i], &b = unit[(i + 1) % unit.size()];
        normal[0] += (a[1] - b[1]) * (a[2] + b[2]);
        normal[1] += (a[2] - b[2]) * (a[0] + b[0]);
        normal[2] += (a[0] - b[0]) * (a[1] + b[1]);
    }
    // Along the axis that is nearest to the normal.
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d) axis = std::abs(normal[d]) > std::abs(normal[axis]) ? d : axis;
    std::vector<Planar> flat;
    for (const Point& p : unit) {
        Planar q = {p[(axis + 1) % 3], p[(axis + 2) % 3]};
        if (normal[axis] < 0) std::swap(q[0], q[1]);
        flat.push_back(q);
    }
    return flat;
}

bool fan_works(const std::vector<Planar>& p) {
    const std::size_t n = p.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (turn(p[i], p[(i + 1) % n], p[(i + 2) % n]) < 0) return false;
    }
    for (std::size_t i = 1; i + 1 < n; ++i) {
        if (turn(p[0], p[i], p[i + 1]) <= 0) return false;
    }
    return true;
}

bool is_inside(const Planar& p, const Planar& a, const Planar& b, const Planar& c) {
    return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

/// Calls add(i, j, k) with places of corners.
template <class Add>
void clip_ears(const std::vector<Planar>& p, Add&& add) {
    std::vector<std::size_t> left(p.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::size_t at = 0, misses = 0;
    while (left.size() > 3) {
        const std::size_t n = left.size(), a = left[at % n], b = left[(at + 1) % n], c = left[(at + 2) % n];
        bool ear = turn(p[a], p[b], p[c]) > 0;
        for (std::size_t i = 0; ear && i < n; ++i) {
            const std::size_t v = left[i];
            if (v == a || v == b || v == c || p[v] == p[a] || p[v] == p[b] || p[v] == p[c]) continue;
            ear = !is_inside(p[v], p[a], p[b], p[c]);
        }
        if (!ear && misses < n) {  // after a whole round without an ear the polygon crosses itself: cut anywhere
            ++at;
            ++misses;
            continue;
        }
        add(a, b, c);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>((at + 1) % n));
        misses = 0;
        at %= left.size();
    }
    add(left[0], left[1], left[2]);
}

}  // namespace

void PolygonSoup::add(std::span<const Index> corners, int line) {
    corners_.insert(corners_.end(), corners.begin(), corners.end());
    sizes_.push_back(static_cast<std::uint32_t>(corners.size()));
    if (line > 0) lines_.push_back(line);
}

TriangleSoup PolygonSoup::triangulate(const std::string& file, Index counted_from) {
    const auto vertices = static_cast<Index>(soup.position.size());
    auto fail = [&](std::size_t polygon, const std::string& message) {
        if (lines_.empty()) throw core::InputError(file + ": face " + std::to_string(polygon) + " (from 0): " + message);
        throw core::InputError(message, core::Span{file, lines_[polygon], 0, 0, nullptr});
    };
    const std::size_t triangles = corners_.size() - 2 * sizes_.size();
    if (vertices > kMostTriangles || static_cast<Index>(triangles) > kMostTriangles)
        throw core::InputError(file + ": " + core::grouped(vertices) + " vertices and " + core::grouped(static_cast<Index>(triangles)) +
                               " triangles are beyond the " + core::grouped(kMostTriangles) + " that a mesh can have");
    soup.polygons = static_cast<Index>(sizes_.size());
    soup.faces.reserve(triangles);
    std::vector<Point> points;
    std::size_t first = 0;
    for (std::size_t polygon = 0; polygon < sizes_.size(); first += sizes_[polygon++]) {
        const std::span<const Index> corners(corners_.data() + first, sizes_[polygon]);
        for (const Index corner : corners) {
            if (corner < 0 || corner >= vertices)
                fail(polygon, "a face uses vertex " + std::to_string(corner + counted_from) + ", but the file has " +
                                  core::grouped(vertices) + (counted_from == 0 ? ", counted from 0" : ""));
        }
        auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
            soup.faces.push_back({static_cast<Vertex>(corners[a]), static_cast<Vertex>(corners[b]), static_cast<Vertex>(corners[c])});
        };
        if (corners.size() == 3) {
            add(0, 1, 2);
            continue;
        }
        points.clear();
        for (const Index corner : corners) points.push_back(soup.position[core::at(corner)]);
        const std::vector<Planar> flat = flattened(points);
        if (fan_works(flat)) {
            for (std::size_t i = 1; i + 1 < corners.size(); ++i) add(0, i, i + 1);
        } else {
            if (corners.size() > kMostConcaveCorners)
                fail(polygon, "a concave face of " + core::grouped(static_cast<Index>(corners.size())) + " corners; the most is " +
                                  core::grouped(kMostConcaveCorners));
            clip_ears(flat, add);
        }
    }
    corners_.clear();
    return std::move(soup);
}

}  // namespace mottle::domain
