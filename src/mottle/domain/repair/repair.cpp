// mottle/domain/repair/repair.cpp: welding, unusable faces, numbering and the boundary of a surface
#include "mottle/domain/repair/repair.h"

#include "mottle/core/error.h"
#include "mottle/core/large_array.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/incidence.h"
#include "mottle/domain/repair/topology.h"
#include "mottle/domain/mesh/vertex_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mottle::domain {

namespace {

constexpr Vertex kNone = -1;
constexpr double kFlat = 1e-12;  // twice the area over the longest edge squared: below it, cotangents are made of rounding errors alone

using core::at;

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

std::uint64_t hash(const Point& p) {
    std::uint64_t h = 0;
    for (double x : p) h = mixed(h + 0x9e3779b97f4a7c15u + std::bit_cast<std::uint64_t>(x + 0.0));  // -0 + 0 is 0
    return h;
}

/// For each vertex the first one at the same place.
std::vector<Vertex> weld(const std::vector<Point>& position, core::ThreadTeam& team) {
    const auto count = static_cast<Index>(position.size());
    std::vector<std::uint64_t> hashes(position.size());
    share_out(team, count, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) hashes[at(i)] = hash(position[at(i)]);
    });
    struct Slot {
        std::uint32_t tag;
        Vertex vertex;
    };
    const std::size_t slots = std::bit_ceil(2 * position.size() + 1);
    std::vector<Slot> table(slots, {0, kNone});
    std::vector<Vertex> first(position.size());
    constexpr std::size_t kAhead = 16;  // the table is read at random places: ask for them early
    for (std::size_t i = 0; i < position.size(); ++i) {
        if (i + kAhead < position.size()) __builtin_prefetch(&table[hashes[i + kAhead] & (slots - 1)], 1);
        std::size_t slot = hashes[i] & (slots - 1);
        const auto tag = static_cast<std::uint32_t>(hashes[i] >> 32);
        while (table[slot].vertex != kNone && !(table[slot].tag == tag && position[at(table[slot].vertex)] == position[i]))
            slot = (slot + 1) & (slots - 1);
        if (table[slot].vertex == kNone) table[slot] = {tag, static_cast<Vertex>(i)};
        first[i] = table[slot].vertex;
    }
    return first;
}

/// Flat triangles have an area that f64 cannot tell from 0. `scale`: a power of two that brings the surface to the size of 1.
bool is_flat(const Point& a, const Point& b, const Point& c, double scale) {
    std::array<Point, 3> edge{};
    for (std::size_t d = 0; d < 3; ++d)
        edge[0][d] = b[d] * scale - a[d] * scale, edge[1][d] = c[d] * scale - a[d] * scale, edge[2][d] = c[d] * scale - b[d] * scale;
    double longest = 0;
    for (const Point& e : edge) longest = std::max(longest, std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
    const double x = edge[0][1] * edge[1][2] - edge[0][2] * edge[1][1], y = edge[0][2] * edge[1][0] - edge[0][0] * edge[1][2],
                 z = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0];
    return !(std::sqrt(x * x + y * y + z * z) > kFlat * longest * longest);
}

double unit_scale(const std::vector<Point>& position) {
    const Box box = bounds(position);
    double half = 0;
    for (std::size_t d = 0; d < 3; ++d) half = std::max(half, 0.5 * box.hi[d] - 0.5 * box.lo[d]);
    int exponent = 0;
    std::frexp(half, &exponent);
    return std::ldexp(1.0, std::min(-exponent, 1023));
}

/// Faces by their vertices after welding; the unusable ones are counted and left out.
std::vector<Triangle> usable_faces(const TriangleSoup& soup, const std::vector<Vertex>& first, core::ThreadTeam& team, MeshReport& report) {
    enum State : std::uint8_t { usable, repeated, flat };
    std::vector<std::uint8_t> states(soup.faces.size());
    const double scale = unit_scale(soup.position);
    share_out(team, static_cast<Index>(soup.faces.size()), [&](Index begin, Index end, int) {
        for (Index f = begin; f < end; ++f) {
            const auto& [a, b, c] = soup.faces[at(f)];
            if (a == b || b == c || c == a)
                states[at(f)] = repeated;
            else if (first[at(a)] == first[at(b)] || first[at(b)] == first[at(c)] || first[at(c)] == first[at(a)] ||
                     is_flat(soup.position[at(a)], soup.position[at(b)], soup.position[at(c)], scale))
                states[at(f)] = flat;
        }
    });
    std::vector<Triangle> faces;
    core::reserve_large(faces, soup.faces.size());
    for (std::size_t f = 0; f < states.size(); ++f) {
        const auto& [a, b, c] = soup.faces[f];
        if (states[f] == usable) faces.push_back({first[at(a)], first[at(b)], first[at(c)]});
        report.repeated_index_faces += states[f] == repeated;
        report.zero_area_faces += states[f] == flat;
    }
    return faces;
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<Vertex>& original) {
    std::vector<T> kept;
    if (values.empty()) return kept;
    core::reserve_large(kept, original.size());
    for (Vertex v : original) kept.push_back(values[at(v)]);
    return kept;
}

/// Gives the vertices that faces use new numbers, and the copies of a vertex the number of the first. Sets original, vertex_of and position.
void number_vertices(Surface& surface, const std::vector<Point>& position, const std::vector<Vertex>& first, Numbering numbering,
                     core::ThreadTeam& team) {
    std::vector<Vertex>& number = surface.vertex_of;
    number.assign(first.size(), kNone);
    for (const Triangle& face : surface.faces) {
        for (Vertex v : face) number[at(v)] = 0;
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] != static_cast<Vertex>(i)) {
            ++surface.report.welded;
        } else if (number[i] == kNone) {
            ++surface.report.unreferenced;
        } else {
            surface.original.push_back(static_cast<Vertex>(i));
        }
    }
    surface.position = picked(position, surface.original);
    if (numbering == Numbering::curve || (numbering == Numbering::chosen && is_scattered(first.size(), surface.faces))) {
        const std::vector<Vertex> order = morton_order(surface.position, team);
        surface.position = picked(surface.position, order);
        surface.original = picked(surface.original, order);
    }
    for (std::size_t v = 0; v < surface.original.size(); ++v) number[at(surface.original[v])] = static_cast<Vertex>(v);
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] != static_cast<Vertex>(i)) number[i] = number[at(first[i])];
    }
    share_out(team, static_cast<Index>(surface.faces.size()), [&](Index begin, Index end, int) {
        for (Index f = begin; f < end; ++f) {
            for (Vertex& v : surface.faces[at(f)]) v = number[at(v)];
        }
    });
}

void keep_bare_vertices(Surface& surface, const std::vector<Point>& position) {
    for (std::size_t i = 0; i < position.size(); ++i) {
        if (surface.vertex_of[i] == kNone) surface.bare.emplace_back(static_cast<Vertex>(i), position[i]);
    }
}

}  // namespace

Surface repair(const TriangleSoup& soup, core::ThreadTeam& team, Numbering numbering) {
    Surface surface;
    surface.name = soup.name;
    surface.report.file_vertices = static_cast<Index>(soup.position.size());
    surface.report.file_faces = soup.polygons;
    const std::vector<Vertex> first = weld(soup.position, team);
    surface.faces = usable_faces(soup, first, team, surface.report);
    number_vertices(surface, soup.position, first, numbering, team);
    keep_bare_vertices(surface, soup.position);
    surface.texture = picked(soup.texture, surface.original);
    for (const Attribute& attribute : soup.attributes)
        surface.attributes.push_back({attribute.name, picked(attribute.values, surface.original)});

    Incidence incidence = incidence_of(surface.faces, surface.position.size(), team);
    surface.report.duplicate_faces = drop_copies(surface.faces, incidence, team);
    if (surface.report.duplicate_faces > 0) incidence = incidence_of(surface.faces, surface.position.size(), team);
    if (surface.faces.empty()) {
        const MeshReport& r = surface.report;
        throw core::InputError(surface.name + ": no usable face: " +
                               (r.file_faces == 0
                                    ? "the file has none"
                                    : "of " + core::counted(static_cast<Index>(soup.faces.size()), "triangle ", "triangles ") +
                                          core::counted(r.zero_area_faces, "has", "have") + " no area and " +
                                          core::counted(r.repeated_index_faces, "repeats", "repeat") + " a vertex") +
                               "; a mesh needs at least one triangle");
    }
    find_boundary(surface, incidence, team);
    return surface;
}

}  // namespace mottle::domain
