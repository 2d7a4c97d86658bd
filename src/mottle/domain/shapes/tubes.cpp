// mottle/domain/shapes/tubes.cpp: closed tubes round a bent line, covered with triangles of even size
#include "mottle/domain/shapes/tubes.h"

#include "mottle/domain/operators/edge_flips.h"
#include "mottle/domain/mesh/vector_algebra.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace mottle::domain {

namespace {

using std::numbers::pi;
constexpr int kLinePoints = 4000;  // of the line

Point sum(const Point& a, const Point& b, double factor) { return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]}; }
Point unit(const Point& a) {
    const double length = std::sqrt(dot(a, a));
    return {a[0] / length, a[1] / length, a[2] / length};
}

constexpr double kLength = 24, kThickest = 0.55;

/// The line of the snake, t = 0 (snout) .. 1 (tip of the tail).
Point line(double t) {
    const double swing = 1.6 * (0.3 + 0.7 * std::sin(pi * t));
    return {kLength * (t - 0.5), swing * std::sin(2 * pi * 2.5 * t), 0.25 * std::sin(2 * pi * 1.3 * t + 0.4)};
}

/// Its radius: a round snout, a neck, a tail that tapers to a rounded tip.
double radius(double t) {
    const double snout = std::sqrt(std::clamp(1 - std::pow(std::max(0.0, (0.035 - t) / 0.035), 2), 0.0, 1.0));
    const double neck = 1 - 0.22 * std::exp(-std::pow((t - 0.085) / 0.025, 2));
    const double tail = std::pow(std::clamp((1 - t) / 0.5, 0.0, 1.0), 0.6);
    return kThickest * snout * neck * tail;
}

/// Where the line runs, with a frame that does not twist.
struct Frame {
    Point centre, normal, binormal;
    double radius;
};

std::vector<Frame> frames() {
    std::vector<Frame> all;
    Point normal{0, 0, 1};
    for (int i = 0; i <= kLinePoints; ++i) {
        const double t = static_cast<double>(i) / kLinePoints, step = 1e-5;
        const Point tangent = unit(sum(line(t + step), line(t - step), -1));
        normal = unit(sum(normal, tangent, -dot(normal, tangent)));
        all.push_back({line(t), normal, cross(tangent, normal), radius(t)});
    }
    return all;
}

/// Length along the skin from the snout to each frame.
std::vector<double> skin_lengths(const std::vector<Frame>& line_frames) {
    std::vector<double> lengths{0};
    for (std::size_t i = 1; i < line_frames.size(); ++i) {
        const Point off = sum(line_frames[i].centre, line_frames[i - 1].centre, -1);
        const double rise = line_frames[i].radius - line_frames[i - 1].radius;
        lengths.push_back(lengths.back() + std::sqrt(dot(off, off) + rise * rise));
    }
    return lengths;
}

struct Ring {
    Vertex first;
    Index count;
    double turn;  ///< angle of the first vertex
};

/// Joins two open rings, whose vertices stand at the same share of the way round from seam to seam.
void join_open(TriangleSoup& soup, const Ring& a, const Ring& b) {
    Index i = 0, j = 0;
    while (i + 1 < a.count || j + 1 < b.count) {
        const double next_a = static_cast<double>(i + 1) / static_cast<double>(a.count - 1);
        const double next_b = static_cast<double>(j + 1) / static_cast<double>(b.count - 1);
        const auto from_a = static_cast<Vertex>(a.first + i), from_b = static_cast<Vertex>(b.first + j);
        if (j + 1 >= b.count || (i + 1 < a.count && next_a <= next_b)) {
            soup.faces.push_back({from_a, from_a + 1, from_b});
            ++i;
        } else {
            soup.faces.push_back({from_a, from_b + 1, from_b});
            ++j;
        }
    }
}

/// Joins two rings by a belt of triangles: always the corner that comes next by angle.
void join(TriangleSoup& soup, const Ring& a, const Ring& b) {
    auto angle = [](const Ring& ring, Index i) { return ring.turn + 2 * pi * static_cast<double>(i) / static_cast<double>(ring.count); };
    auto vertex = [](const Ring& ring, Index i) { return static_cast<Vertex>(ring.first + i % ring.count); };
    // Begin where the rings are closest, so that no triangle spans the gap between their first vertices.
    Index shift = static_cast<Index>(std::llround((a.turn - b.turn) * static_cast<double>(b.count) / (2 * pi)));
    shift = (shift % b.count + b.count) % b.count;
    const double offset = std::remainder(angle(b, shift) - a.turn, 2 * pi);
    Index i = 0, j = 0;
    while (i < a.count || j < b.count) {
        const double next_a = 2 * pi * static_cast<double>(i + 1) / static_cast<double>(a.count);
        const double next_b = offset + 2 * pi * static_cast<double>(j + 1) / static_cast<double>(b.count);
        const Vertex from_a = vertex(a, i), from_b = vertex(b, shift + j);
        if (j >= b.count || (i < a.count && next_a <= next_b)) {
            soup.faces.push_back({from_a, vertex(a, i + 1), from_b});
            ++i;
        } else {
            soup.faces.push_back({from_a, vertex(b, shift + j + 1), from_b});
            ++j;
        }
    }
}

}  // namespace

TriangleSoup snake_of(double vertices) {
    const std::vector<Frame> along = frames();
    const std::vector<double> lengths = skin_lengths(along);
    double area = 0;
    for (std::size_t i = 1; i < along.size(); ++i) area += pi * (along[i].radius + along[i - 1].radius) * (lengths[i] - lengths[i - 1]);
    const double edge =
        std::sqrt(2 / std::sqrt(3.0) * area / vertices);  // a vertex of an even net of triangles has edge^2 sqrt(3)/2 of the area
    const auto belts = static_cast<Index>(std::round(lengths.back() / (edge * std::sqrt(3.0) / 2)));

    TriangleSoup soup;
    soup.position.push_back(along.front().centre);
    std::vector<Ring> rings;
    std::size_t at = 1;
    for (Index belt = 1; belt < belts; ++belt) {
        const double here = lengths.back() * static_cast<double>(belt) / static_cast<double>(belts);
        while (at + 1 < lengths.size() && lengths[at] < here) ++at;
        const double share = (here - lengths[at - 1]) / (lengths[at] - lengths[at - 1]);
        const Frame &before = along[at - 1], &after = along[at];
        const Point centre = sum(before.centre, sum(after.centre, before.centre, -1), share);
        const double r = before.radius + share * (after.radius - before.radius);
        const Index count = std::max<Index>(5, std::llround(2 * pi * r / edge));
        const double turn = belt % 2 == 0 ? 0 : pi / static_cast<double>(count);
        rings.push_back({static_cast<Vertex>(soup.position.size()), count, turn});
        for (Index i = 0; i < count; ++i) {
            const double angle = turn + 2 * pi * static_cast<double>(i) / static_cast<double>(count);
            soup.position.push_back(sum(sum(centre, before.normal, r * std::cos(angle)), before.binormal, r * std::sin(angle)));
        }
    }
    soup.position.push_back(along.back().centre);
    const auto last = static_cast<Vertex>(soup.position.size()) - 1;
    auto around = [](const Ring& ring, Index i) { return static_cast<Vertex>(ring.first + i % ring.count); };
    for (Index i = 0; i < rings.front().count; ++i) soup.faces.push_back({0, around(rings.front(), i + 1), around(rings.front(), i)});
    for (std::size_t r = 1; r < rings.size(); ++r) join(soup, rings[r - 1], rings[r]);
    for (Index i = 0; i < rings.back().count; ++i) soup.faces.push_back({last, around(rings.back(), i), around(rings.back(), i + 1)});
    return soup;
}

// The mesh of the surface paper is not to be had. This one has its counts (47,867 vertices, 94,088 faces), its variance of valences (3.6), a seam
// that is open along the belly, and edges that grow from the ends to the middle.
TriangleSoup kaa() {
    constexpr double kFirst = 0.012, kLast = 0.985;  // of the line: both ends are open too
    constexpr double kEdge = 0.05, kGrading = 0.45;  // mean edge, and by how much less it is at the ends
    constexpr double kSeam = 0.12;                   // half the angle that the belly is open by
    constexpr double kJitter = 0.12;                 // of an edge, along the skin
    constexpr double kVariance = 3.6;
    std::uint64_t state = 7;
    auto draw = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (static_cast<double>(state >> 40) * 0x1p-24 - 0.5) * 2;
    };
    const std::vector<Frame> along = frames();
    const std::vector<double> lengths = skin_lengths(along);
    TriangleSoup soup;
    std::vector<Ring> rings;
    std::size_t at = 1;
    const double end = kLast * lengths.back();
    for (double here = kFirst * lengths.back(); here < end;) {
        const double place = here / lengths.back();
        const double edge = kEdge * (1 - kGrading * std::pow(2 * place - 1, 2));
        while (at + 1 < lengths.size() && lengths[at] < here) ++at;
        const double share = (here - lengths[at - 1]) / (lengths[at] - lengths[at - 1]);
        const Frame &before = along[at - 1], &after = along[at];
        const Point centre = sum(before.centre, sum(after.centre, before.centre, -1), share);
        const Point forward = unit(sum(after.centre, before.centre, -1));
        const double r = before.radius + share * (after.radius - before.radius), span = 2 * (pi - kSeam);
        const Index count = std::max<Index>(6, std::llround(span * r / edge) + 1);
        rings.push_back({static_cast<Vertex>(soup.position.size()), count, 0});
        for (Index i = 0; i < count; ++i) {
            const bool border = i == 0 || i + 1 == count;
            const double step = span / static_cast<double>(count - 1);
            // the belly is at -normal: the seam runs there
            const double angle = kSeam - pi + step * (static_cast<double>(i) + (border ? 0 : kJitter * draw()));
            const Point on_ring = sum(sum(centre, before.normal, r * std::cos(angle)), before.binormal, r * std::sin(angle));
            soup.position.push_back(border ? on_ring : sum(on_ring, forward, kJitter * edge * draw()));
        }
        here += edge * std::sqrt(3.0) / 2;
    }
    for (std::size_t r = 1; r < rings.size(); ++r) join_open(soup, rings[r - 1], rings[r]);
    flip_edges(soup, kVariance);
    return soup;
}

}  // namespace mottle::domain
