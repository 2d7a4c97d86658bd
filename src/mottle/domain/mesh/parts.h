// mottle/domain/mesh/parts.h: cuts the graph of a mesh into parts of narrow rings: breadth-first levels, pseudo-peripheral ends, bisection
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mottle::domain {

/// The graph of the one-rings: row i is neighbour[first[i]] .. neighbour[first[i+1]].
struct Graph {
    explicit Graph(const MeshOperators& rows) : first(rows.first), neighbour(rows.neighbour) {}
    std::span<const Index> first;
    std::span<const Vertex> neighbour;

    Index vertex_count() const { return static_cast<Index>(first.size()) - 1; }
    std::span<const Vertex> ring(Vertex v) const {
        const auto begin = core::at(first[core::at(v)]);
        return neighbour.subspan(begin, core::at(first[core::at(v) + 1]) - begin);
    }
};

/// Vertices in breadth-first order; level l is order[first[l]] .. order[first[l+1]]. Neighbours of a level lie in it and in the two beside it.
struct Levels {
    std::vector<Vertex> order;
    std::vector<Index> first;  ///< size levels + 1
};

/// Marks of the vertices that were visited; reused from search to search without clearing.
class Visits {
   public:
    explicit Visits(Index vertices) : stamp_(core::at(vertices), 0) {}
    void start() { ++now_; }
    bool seen(Vertex v) const { return stamp_[core::at(v)] == now_; }
    void mark(Vertex v) { stamp_[core::at(v)] = now_; }

   private:
    std::vector<int> stamp_;
    int now_ = 0;
};

/// A set of vertices that one thread owns, and the end of its largest component from which its levels are narrowest.
struct MeshPart {
    int thread = 0;
    Vertex end = 0;
    std::vector<Vertex> vertices;
};

/// One part per thread by recursive bisection, then any part whose widest level exceeds `widest` vertices is halved again (not below 20,000
/// vertices), and one of more than `largest` vertices (0: any number) is cut into equal ones that are not. In the order of threads. The key of a
/// cut is the distance to one end less that to the other, smoothed; components follow one another.
std::vector<MeshPart> bisect(const Graph& graph, int threads, Index widest, core::ThreadTeam& team, Index largest = 0);

/// What searches reuse.
struct SearchScratch {
    explicit SearchScratch(Index vertices) : visits(vertices), found(vertices) {}
    Visits visits, found;
};

inline constexpr std::int32_t kFarHop = 1 << 20;
/// What is known of all vertices while one thread makes parts, one after another: hops from a part (else kFarHop), places in it, and whether it has them.
struct PartScratch {
    explicit PartScratch(Index vertices)
        : hop(core::at(vertices), kFarHop), slot(hop.size(), -1), inside(hop.size(), 0), search(vertices) {}
    std::vector<std::int32_t> hop, slot;
    std::vector<std::uint8_t> inside;
    SearchScratch search;
};

/// The breadth-first levels of the vertices for which `inside` is not 0, component after component: the first from `end`, the others (in the
/// order of `vertices`) from a pseudo-peripheral vertex of theirs.
Levels levels_of(const Graph& graph, std::span<const Vertex> vertices, std::span<const std::uint8_t> inside, Vertex end,
                 SearchScratch& scratch);

/// `vertices` and what lies up to `hops` edges beyond them; level h is h edges away. `hop`, by vertex, kFarHop before, is set for all of them,
/// for the caller to set back.
Levels surroundings(const Graph& graph, std::span<const Vertex> vertices, int hops, std::vector<std::int32_t>& hop);

}  // namespace mottle::domain
