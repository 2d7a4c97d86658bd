// mottle/field/point_tree.cpp: a balanced k-d tree in one array, and plain loops where places are few
#include "mottle/field/point_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mottle::field {

using domain::Point;
using domain::Vertex;

namespace {

using core::at;

constexpr std::size_t kFew = 64;  ///< places: to make a tree takes longer than to compare all points with each of so many

double squared(const Point& a, const Point& b) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

}  // namespace

PointTree::PointTree(const std::vector<Point>& points) : points_(points), order_(points.size()), axis_(points.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    build(0, order_.size());
}

void PointTree::build(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    Point lo = points_[at(order_[begin])], hi = lo;
    for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            lo[d] = std::min(lo[d], points_[at(order_[i])][d]);
            hi[d] = std::max(hi[d], points_[at(order_[i])][d]);
        }
    }
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d) axis = hi[d] - lo[d] > hi[axis] - lo[axis] ? d : axis;
    const std::size_t middle = begin + (end - begin) / 2;
    using Step = std::ptrdiff_t;
    std::nth_element(order_.begin() + static_cast<Step>(begin), order_.begin() + static_cast<Step>(middle),
                     order_.begin() + static_cast<Step>(end),
                     [&](Vertex a, Vertex b) { return points_[at(a)][axis] < points_[at(b)][axis]; });
    axis_[middle] = static_cast<std::uint8_t>(axis);
    build(begin, middle);
    build(middle + 1, end);
}

Vertex PointTree::nearest(const Point& place) const {
    double best = HUGE_VAL;
    Vertex who = -1;
    search(0, order_.size(), place, best, who);
    return who;
}

void PointTree::search(std::size_t begin, std::size_t end, const Point& place, double& best, Vertex& who) const {
    if (begin >= end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const Vertex vertex = order_[middle];
    const double distance = squared(points_[at(vertex)], place);
    if (distance < best || (distance == best && vertex < who)) {
        best = distance;
        who = vertex;
    }
    const double off = place[axis_[middle]] - points_[at(vertex)][axis_[middle]];
    const bool low = off < 0;
    search(low ? begin : middle + 1, low ? middle : end, place, best, who);
    if (off * off <= best) search(low ? middle + 1 : begin, low ? end : middle, place, best, who);
}

void PointTree::within(const Point& place, double radius, const std::function<void(Vertex)>& found) const {
    search(0, order_.size(), place, radius, found);
}

void PointTree::search(std::size_t begin, std::size_t end, const Point& place, double radius,
                       const std::function<void(Vertex)>& found) const {
    if (begin >= end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const Vertex vertex = order_[middle];
    if (std::sqrt(squared(points_[at(vertex)], place)) <= radius) found(vertex);
    const double off = place[axis_[middle]] - points_[at(vertex)][axis_[middle]];
    if (off <= radius) search(begin, middle, place, radius, found);
    if (-off <= radius) search(middle + 1, end, place, radius, found);
}

std::vector<Vertex> nearest_points(const std::vector<Point>& points, std::span<const Point> places) {
    std::vector<Vertex> nearest(places.size(), -1);
    if (places.size() >= kFew) {
        const PointTree tree(points);
        std::transform(places.begin(), places.end(), nearest.begin(), [&](const Point& place) { return tree.nearest(place); });
        return nearest;
    }
    std::vector<double> best(places.size(), HUGE_VAL);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t k = 0; k < places.size(); ++k) {
            const double distance = squared(points[i], places[k]);
            if (!(distance < best[k])) continue;
            best[k] = distance;
            nearest[k] = static_cast<Vertex>(i);
        }
    }
    return nearest;
}

std::vector<std::uint8_t> points_within(const std::vector<Point>& points, std::span<const Point> centres, double radius) {
    std::vector<std::uint8_t> marked(points.size());
    if (centres.size() >= kFew) {
        const PointTree tree(points);
        for (const Point& centre : centres) tree.within(centre, radius, [&](Vertex v) { marked[at(v)] = 1; });
        return marked;
    }
    std::transform(points.begin(), points.end(), marked.begin(), [&](const Point& point) {
        return std::any_of(centres.begin(), centres.end(),
                           [&](const Point& centre) { return std::sqrt(squared(point, centre)) <= radius; });
    });
    return marked;
}

}  // namespace mottle::field
