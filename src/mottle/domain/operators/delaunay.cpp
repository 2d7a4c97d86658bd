// mottle/domain/operators/delaunay.cpp: flips edges by their lengths alone until the triangulation is Delaunay, then gathers the cotangents into rows
#include "mottle/domain/operators/delaunay.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/incidence.h"
#include "mottle/domain/operators/unit_frame.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>

namespace mottle::domain {

namespace {

using Half = std::int32_t;  ///< 3 * face + side; it runs from corner `side` to the next

constexpr double kBelow = -1e-12;  // a cotangent weight that is negative by more than rounding
constexpr Index kMostFlips = 200;  // per face

using core::at;
Half next(Half h) { return h % 3 == 2 ? h - 2 : h + 1; }
Half previous(Half h) { return h % 3 == 0 ? h + 2 : h - 1; }

/// A triangulation that knows vertices, lengths and areas, and no places. Faces come in sheets: the surface, or both of its sides.
class Cover {
   public:
    Cover(const Surface& surface, const std::vector<Point>& position) : original_(surface.original), sheets_(is_plain(surface) ? 1 : 2) {
        const std::vector<Triangle>& faces = surface.faces;
        const std::size_t count = faces.size();
        const std::size_t halves = 3 * count * at(sheets_);
        if (halves > at(std::numeric_limits<Half>::max()))
            throw core::InputError(surface.name + " has " + core::grouped(static_cast<Index>(count)) +
                                   " triangles, too many for their edges to be flipped; leave out --delaunay");
        from_.resize(halves);
        length_.resize(halves);
        twin_.resize(halves);
        twice_area_.resize(halves / 3);
        for (std::size_t f = 0; f < count; ++f) {
            add_face(f, faces[f], position);
            if (sheets_ == 2) add_face(count + f, {faces[f][0], faces[f][2], faces[f][1]}, position);
        }
        glue(static_cast<Half>(3 * count));
    }

    Index flips() const { return flips_ / sheets_; }

    /// First in, first out, from the edges in order of the faces.
    void flip_all() {
        std::deque<Half> queue;
        std::vector<bool> waits(from_.size());
        auto push = [&](Half h) {
            if (waits[at(h)] || waits[at(twin_[at(h)])]) return;
            waits[at(h)] = true;
            queue.push_back(h);
        };
        for (std::size_t h = 0; h < from_.size(); ++h) push(static_cast<Half>(h));
        const Index most = kMostFlips * static_cast<Index>(twice_area_.size());
        while (!queue.empty() && flips_ < most) {
            core::cancellation_point();
            const Half h = queue.front();
            queue.pop_front();
            waits[at(h)] = false;
            if (0.5 * (cotangent(h) + cotangent(twin_[at(h)])) < kBelow && flip(h)) {
                ++flips_;
                const Half other = twin_[at(h)];
                for (const Half side : {next(h), previous(h), next(other), previous(other)}) push(side);
            }
        }
    }

    /// Half the cotangents opposite each edge, by vertex and neighbour: every edge of a face counts for both of its ends, faces in order.
    struct Share {
        Vertex neighbour;
        double weight;
    };
    std::vector<std::vector<Share>> shares(std::size_t vertices) const {
        std::vector<std::vector<Share>> all(vertices);
        for (std::size_t h = 0; h < from_.size(); ++h) {
            const Half half = static_cast<Half>(h);
            const Vertex a = from_[h], b = to(half);
            if (a == b) continue;  // an edge from a vertex to itself moves nothing
            const double weight = 0.5 * cotangent(half) / sheets_;
            all[at(a)].push_back({b, weight});
            all[at(b)].push_back({a, weight});
        }
        for (std::vector<Share>& row : all)
            std::stable_sort(row.begin(), row.end(),
                             [&](const Share& x, const Share& y) { return file_index(x.neighbour) < file_index(y.neighbour); });
        return all;
    }

   private:
    static bool is_plain(const Surface& surface) {
        return surface.loops.empty() && surface.report.non_manifold_edges == 0 && surface.report.inconsistent_edges == 0;
    }

    void add_face(std::size_t face, const Triangle& corners, const std::vector<Point>& position) {
        std::array<Point, 3> edge{};
        for (std::size_t c = 0; c < 3; ++c) {
            const Point &p = position[at(corners[c])], &q = position[at(corners[(c + 1) % 3])];
            for (std::size_t d = 0; d < 3; ++d) edge[c][d] = q[d] - p[d];
            from_[3 * face + c] = corners[c];
            length_[3 * face + c] = std::sqrt(edge[c][0] * edge[c][0] + edge[c][1] * edge[c][1] + edge[c][2] * edge[c][2]);
        }
        const Point &a = edge[0], &b = edge[1];
        const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
        twice_area_[face] = std::sqrt(x * x + y * y + z * z);
    }

    /// Round an edge the sheet that runs up it in one face meets the sheet that runs down it in the next face, in order of the file.
    /// With one sheet and two faces those are the faces themselves; with one face its two sides.
    void glue(Half halves_of_sheet) {
        struct OfEdge {
            Vertex low, high;
            Half half;
        };
        std::vector<OfEdge> sides;
        sides.reserve(at(halves_of_sheet));
        for (Half h = 0; h < halves_of_sheet; ++h) sides.push_back({std::min(from_[at(h)], to(h)), std::max(from_[at(h)], to(h)), h});
        std::sort(sides.begin(), sides.end(), [](const OfEdge& a, const OfEdge& b) {
            return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.half < b.half;
        });
        // The half of the second sheet along the side 0, 1, 2 of a face whose corners are 0, 2, 1.
        auto back = [&](Half h) { return halves_of_sheet + (h - h % 3) + (2 - h % 3); };
        auto runs_up = [&](Half h) { return file_index(from_[at(h)]) < file_index(to(h)); };
        for (std::size_t first = 0; first < sides.size();) {
            std::size_t end = first;
            while (end < sides.size() && sides[end].low == sides[first].low && sides[end].high == sides[first].high) ++end;
            for (std::size_t i = first; i < end; ++i) {
                const Half here = sides[i].half, there = sides[i + 1 < end ? i + 1 : first].half;
                const Half up = sheets_ == 1 || runs_up(here) ? here : back(here);
                const Half down = sheets_ == 1 || !runs_up(there) ? there : back(there);
                twin_[at(up)] = down;
                twin_[at(down)] = up;
            }
            first = end;
        }
    }

    Vertex file_index(Vertex v) const { return original_[at(v)]; }
    Vertex to(Half h) const { return from_[at(next(h))]; }

    /// Opposite the side `h` of its face.
    double cotangent(Half h) const {
        const double a = length_[at(h)], b = length_[at(next(h))], c = length_[at(previous(h))];
        return (b * b + (c - a) * (c + a)) / (2 * twice_area_[at(h / 3)]);
    }

    /// Turns the edge within the two faces laid flat. False where rounding leaves no room for it.
    bool flip(Half h) {
        const Half g = twin_[at(h)];
        if (h / 3 == g / 3) return false;
        // the edge from (0, 0) to (l, 0), the third corner of h's face above it at (x, y), that of g's below it at (u, -v)
        const double l = length_[at(h)];
        const Half h1 = next(h), h2 = previous(h), g1 = next(g), g2 = previous(g);
        auto along = [l](double from_start, double from_end) {
            return 0.5 * (l + (from_start - from_end) * ((from_start + from_end) / l));
        };
        const double x = along(length_[at(h2)], length_[at(h1)]), y = twice_area_[at(h / 3)] / l;
        const double u = along(length_[at(g1)], length_[at(g2)]), v = twice_area_[at(g / 3)] / l;
        const double at_start = u * y + v * x, at_end = (l - x) * v + (l - u) * y;  // twice the areas on both sides of the new edge
        if (!(at_start > 0 && at_end > 0)) return false;
        const double length = std::sqrt((x - u) * (x - u) + (y + v) * (y + v));
        // The face of h becomes (third of g, third of h, start), that of g (third of h, third of g, end).
        const Vertex above = from_[at(h2)], below = from_[at(g2)], start = from_[at(h)], end = from_[at(g)];
        const std::array<Side, 4> rim = {side(h2), side(g1), side(g2), side(h1)};  // above-start, start-below, below-end, end-above
        place(h, below, length);
        place(h1, above, rim[0].length);
        place(h2, start, rim[1].length);
        place(g, above, length);
        place(g1, below, rim[2].length);
        place(g2, end, rim[3].length);
        const std::array<Half, 4> now = {h1, h2, g1, g2}, before = {h2, g1, g2, h1};
        for (std::size_t i = 0; i < 4; ++i) {
            Half partner = rim[i].twin;
            for (std::size_t j = 0; j < 4; ++j) {
                if (partner == before[j]) {  // two sides of the rim were glued to each other
                    partner = now[j];
                    break;
                }
            }
            twin_[at(now[i])] = partner;
            twin_[at(partner)] = now[i];
        }
        twice_area_[at(h / 3)] = at_start;
        twice_area_[at(g / 3)] = at_end;
        return true;
    }

    struct Side {
        double length;
        Half twin;
    };
    Side side(Half h) const { return {length_[at(h)], twin_[at(h)]}; }
    void place(Half h, Vertex from, double length) {
        from_[at(h)] = from;
        length_[at(h)] = length;
    }

    const std::vector<Vertex>& original_;
    int sheets_;
    std::vector<Vertex> from_;
    std::vector<double> length_;
    std::vector<Half> twin_;
    std::vector<double> twice_area_;  ///< by face
    Index flips_ = 0;
};

}  // namespace

void make_delaunay(MeshOperators& rows, const Surface& surface, core::ThreadTeam& team) {
    Cover cover(surface, unit_frame(surface, team).position);
    cover.flip_all();
    const std::vector<std::vector<Cover::Share>> shares = cover.shares(surface.position.size());
    MeshOperators flipped;
    flipped.mass = std::move(rows.mass);
    flipped.flips = cover.flips();
    flipped.first = {0};
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::vector<Cover::Share>& row = shares[i];
        Index old = rows.first[i];
        for (std::size_t s = 0; s < row.size() || old < rows.first[i + 1];) {
            // neighbours by ascending index in the file
            auto index = [&](Vertex v) { return surface.original[at(v)]; };
            const bool ends = old == rows.first[i + 1];
            const bool flipped_first = !ends && s < row.size() && index(row[s].neighbour) < index(rows.neighbour[at(old)]);
            const Vertex neighbour = ends || flipped_first ? row[s].neighbour : rows.neighbour[at(old)];
            double weight = 0;
            for (; s < row.size() && row[s].neighbour == neighbour; ++s) weight += row[s].weight;
            const bool kept = !ends && rows.neighbour[at(old)] == neighbour;
            flipped.neighbour.push_back(neighbour);
            flipped.cotangent.push_back(weight);
            flipped.laplacian.push_back(weight / flipped.mass[i]);
            for (std::size_t d = 0; d < 3; ++d) flipped.gradient[d].push_back(kept ? rows.gradient[d][at(old)] : 0);
            old += kept;
        }
        flipped.first.push_back(static_cast<Index>(flipped.neighbour.size()));
    }
    rows = std::move(flipped);
}

}  // namespace mottle::domain
