// mottle/domain/repair/refine.cpp: vertices on edges, and Loop's masks for old and new ones
#include "mottle/domain/repair/refine.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/repair/repair.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::domain {
namespace {

using core::at;

/// The edges of some triangles, each once, by ascending ends.
class Edges {
   public:
    struct Edge {
        Vertex a, b;                             ///< a < b
        std::uint32_t faces = 0;                 ///< that have it
        std::array<Vertex, 2> opposite{-1, -1};  ///< in the first two of them
    };

    explicit Edges(const std::vector<Triangle>& faces) : of_side_(3 * faces.size()) {
        struct Side {
            std::uint64_t key;
            std::uint32_t place;
        };
        std::vector<Side> sides;
        sides.reserve(of_side_.size());
        for (std::size_t f = 0; f < faces.size(); ++f) {
            for (std::size_t k = 0; k < 3; ++k)
                sides.push_back({key_of(faces[f][k], faces[f][(k + 1) % 3]), static_cast<std::uint32_t>(3 * f + k)});
        }
        std::sort(sides.begin(), sides.end(),
                  [](const Side& x, const Side& y) { return x.key != y.key ? x.key < y.key : x.place < y.place; });
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if (i == 0 || sides[i].key != sides[i - 1].key) {
                edges_.push_back({static_cast<Vertex>(sides[i].key >> 32), static_cast<Vertex>(sides[i].key & 0xFFFFFFFFu)});
            }
            Edge& edge = edges_.back();
            const Triangle& face = faces[sides[i].place / 3];
            if (edge.faces < 2) edge.opposite[edge.faces] = face[(sides[i].place + 2) % 3];
            ++edge.faces;
            of_side_[sides[i].place] = static_cast<Vertex>(edges_.size() - 1);
        }
    }

    const std::vector<Edge>& all() const { return edges_; }
    /// Of side `k`, from corner k to the next one, of face `f`.
    Vertex of(std::size_t f, std::size_t k) const { return of_side_[3 * f + k]; }
    /// -1: there is none between `a` and `b`.
    Vertex find(Vertex a, Vertex b) const {
        const std::uint64_t key = key_of(a, b);
        const auto found = std::lower_bound(edges_.begin(), edges_.end(), key,
                                            [](const Edge& edge, std::uint64_t wanted) { return key_of(edge.a, edge.b) < wanted; });
        return found == edges_.end() || key_of(found->a, found->b) != key ? -1 : static_cast<Vertex>(found - edges_.begin());
    }

   private:
    static std::uint64_t key_of(Vertex a, Vertex b) {
        return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint64_t>(std::max(a, b));
    }

    std::vector<Edge> edges_;
    std::vector<Vertex> of_side_;
};

/// Four triangles for each: one at each corner, and the middle one. The vertex of edge e is `first` + e.
std::vector<Triangle> quartered(const std::vector<Triangle>& faces, const Edges& edges, Vertex first) {
    std::vector<Triangle> finer;
    finer.reserve(4 * faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const Vertex ab = first + edges.of(f, 0), bc = first + edges.of(f, 1), ca = first + edges.of(f, 2);
        const auto [a, b, c] = faces[f];
        for (const Triangle& face : {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}})
            finer.push_back(face);
    }
    return finer;
}

Point middle(const Point& a, const Point& b) { return {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])}; }

/// The places of a surface whose copies of vertices are one.
struct Places {
    std::vector<Point> position;
    std::vector<Triangle> faces;
};

/// Loop's mask of a vertex with `n` neighbours: each of them counts so much.
double share_of_neighbour(double n) {
    const double root = 3.0 / 8 + std::cos(2 * std::numbers::pi / n) / 4;
    return (5.0 / 8 - root * root) / n;
}

/// Old places first, then those of the edges.
std::vector<Point> finer_places(const Places& places, const Edges& edges, Subdivision subdivision) {
    std::vector<Point> finer = places.position;
    if (subdivision == Subdivision::loop) {
        std::vector<Point> sum(places.position.size());
        std::vector<int> neighbours(places.position.size(), 0);
        std::vector<bool> stays(places.position.size(), false);
        for (const Edges::Edge& edge : edges.all()) {
            for (const auto& [here, there] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
                ++neighbours[at(here)];
                for (std::size_t d = 0; d < 3; ++d) sum[at(here)][d] += places.position[at(there)][d];
                if (edge.faces != 2) stays[at(here)] = true;
            }
        }
        for (std::size_t v = 0; v < finer.size(); ++v) {
            if (stays[v] || neighbours[v] == 0) continue;
            const double n = neighbours[v], share = share_of_neighbour(n);
            for (std::size_t d = 0; d < 3; ++d) finer[v][d] = (1 - n * share) * places.position[v][d] + share * sum[v][d];
        }
    }
    finer.reserve(finer.size() + edges.all().size());
    for (const Edges::Edge& edge : edges.all()) {
        const Point &a = places.position[at(edge.a)], &b = places.position[at(edge.b)];
        if (subdivision == Subdivision::midpoint || edge.faces != 2) {
            finer.push_back(middle(a, b));
            continue;
        }
        const Point &c = places.position[at(edge.opposite[0])], &d = places.position[at(edge.opposite[1])];
        Point& p = finer.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) p[k] = 3.0 / 8 * (a[k] + b[k]) + 1.0 / 8 * (c[k] + d[k]);
    }
    return finer;
}

/// A refined mesh has a vertex more for each edge, two edges for each and three in each triangle, and four triangles for each.
void require_room(const TriangleSoup& soup, int times, Index most) {
    Index vertices = std::ssize(soup.position), edges = std::ssize(Edges(soup.faces).all()), faces = std::ssize(soup.faces);
    for (int level = 0; level < times; ++level) {
        vertices += edges;
        edges = 2 * edges + 3 * faces;
        faces *= 4;
    }
    if (vertices <= most && faces <= kMostTriangles) return;
    throw core::InputError(soup.name + " refined " + core::counted(times, "time", "times") + " has " + core::grouped(vertices) +
                           " vertices, and " + core::grouped(most) + " are the most that fit; refine it fewer times");
}

/// `place_of`: where each vertex of the file lies; -1 where no usable face has it.
void refine_once(TriangleSoup& soup, std::vector<Vertex>& place_of, Places& places, Subdivision subdivision) {
    const Edges own(soup.faces), shared(places.faces);
    const auto first = static_cast<Vertex>(soup.position.size()), first_place = static_cast<Vertex>(places.position.size());
    std::vector<Point> finer = finer_places(places, shared, subdivision);
    for (std::size_t i = 0; i < soup.position.size(); ++i) {
        if (place_of[i] >= 0) soup.position[i] = finer[at(place_of[i])];
    }
    for (const Edges::Edge& edge : own.all()) {
        const Vertex a = place_of[at(edge.a)], b = place_of[at(edge.b)];
        const Vertex crossed = a >= 0 && b >= 0 && a != b ? shared.find(a, b) : -1;
        place_of.push_back(crossed < 0 ? -1 : first_place + crossed);
        soup.position.push_back(crossed < 0 ? middle(soup.position[at(edge.a)], soup.position[at(edge.b)]) : finer[at(place_of.back())]);
        for (Attribute& attribute : soup.attributes)
            attribute.values.push_back(0.5 * (attribute.values[at(edge.a)] + attribute.values[at(edge.b)]));
        if (soup.texture.empty()) continue;
        const auto &s = soup.texture[at(edge.a)], &t = soup.texture[at(edge.b)];
        soup.texture.push_back({0.5 * (s[0] + t[0]), 0.5 * (s[1] + t[1])});
    }
    soup.faces = quartered(soup.faces, own, first);
    places.faces = quartered(places.faces, shared, first_place);
    places.position = std::move(finer);
}

}  // namespace

TriangleSoup refined(TriangleSoup soup, int times, Subdivision subdivision, core::ThreadTeam& team, Index most) {
    require_room(soup, times, most);
    Surface surface = repair(soup, team, Numbering::file);
    std::vector<Vertex> place_of = std::move(surface.vertex_of);
    Places places{std::move(surface.position), std::move(surface.faces)};
    for (int level = 0; level < times; ++level) refine_once(soup, place_of, places, subdivision);
    return soup;
}

}  // namespace mottle::domain
