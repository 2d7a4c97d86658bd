// mottle/domain/repair/topology.cpp: how the faces of a surface hang together, found vertex by vertex
#include "mottle/domain/repair/topology.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mottle::domain {

namespace {

using core::at;

/// Adds to `copies` the faces of which `vertex` is the lowest and that have the two other vertices of a face before them.
void find_copies(Vertex vertex, std::span<const Corner> corners, std::vector<std::array<std::uint32_t, 3>>& keys,
                 std::vector<std::uint32_t>& copies) {
    keys.clear();
    for (const Corner& corner : corners) {
        if (corner.next < vertex || corner.previous < vertex) continue;
        const auto [low, high] = std::minmax(corner.next, corner.previous);
        keys.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high), corner.face()});
    }
    if (keys.size() < 2) return;
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (keys[i][0] == keys[i - 1][0] && keys[i][1] == keys[i - 1][1]) copies.push_back(keys[i][2]);
    }
}

/// Pieces into which the faces round a vertex fall when they hold together by edges at it.
class FanCounter {
   public:
    Index count(std::span<const Spoke> spokes, std::size_t corners) {
        root_.resize(corners);
        std::iota(root_.begin(), root_.end(), std::size_t{0});
        Index pieces = static_cast<Index>(corners);
        for (std::size_t s = 1; s < spokes.size(); ++s) {
            if (spokes[s].neighbour != spokes[s - 1].neighbour) continue;
            const std::size_t a = find(spokes[s].corner), b = find(spokes[s - 1].corner);
            if (a == b) continue;
            root_[a] = b;
            --pieces;
        }
        return pieces;
    }

   private:
    std::size_t find(std::size_t i) {
        while (root_[i] != i) i = root_[i] = root_[root_[i]];
        return i;
    }
    std::vector<std::size_t> root_;
};

/// An edge by the original numbers of its ends.
struct Edge {
    Vertex from, to;
};

struct Findings {
    Index non_manifold_edges = 0, non_manifold_vertices = 0, inconsistent_edges = 0;
    std::vector<Edge> boundary;  ///< in the direction of their faces
};

void look_at(Vertex original, std::span<const Spoke> spokes, std::size_t corners, FanCounter& fans, Findings& findings) {
    for (std::size_t begin = 0, end = 0; begin < spokes.size(); begin = end) {
        Index leaving = 0;
        for (end = begin; end < spokes.size() && spokes[end].neighbour == spokes[begin].neighbour; ++end) leaving += spokes[end].leaving;
        const auto faces = static_cast<Index>(end - begin);
        if (faces == 1 && leaving == 1) findings.boundary.push_back({original, spokes[begin].original});
        if (spokes[begin].original < original) continue;  // each edge once
        if (faces > 2) ++findings.non_manifold_edges;
        if (faces == 2 && leaving != 1) ++findings.inconsistent_edges;
    }
    if (fans.count(spokes, corners) > 1) ++findings.non_manifold_vertices;
}

/// Walks the boundary edges of `edges` (sorted by `from`) into loops.
std::vector<std::vector<Vertex>> walk_loops(std::vector<Edge> edges) {
    auto before = [](const Edge& a, const Edge& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); };
    std::sort(edges.begin(), edges.end(), before);
    // Where orientation is inconsistent, or loops touch, a walk along the arrows breaks off: both ends know each edge.
    std::vector<Edge> both = edges;
    for (const Edge& edge : edges) both.push_back({edge.to, edge.from});
    std::stable_sort(both.begin(), both.end(),
                     [](const Edge& a, const Edge& b) { return a.from < b.from; });  // arrows before their reverses
    auto first_of = [&](Vertex v) {
        return std::lower_bound(both.begin(), both.end(), v, [](const Edge& e, Vertex w) { return e.from < w; });
    };
    std::vector<std::vector<Vertex>> loops;
    std::vector<Vertex> stack;
    std::vector<bool> seen;
    const Vertex most = both.empty() ? 0 : both.back().from;
    seen.resize(at(most) + 1);
    for (const Edge& start : both) {
        if (seen[at(start.from)]) continue;
        std::vector<Vertex>& loop = loops.emplace_back();
        stack.assign(1, start.from);
        while (!stack.empty()) {
            const Vertex vertex = stack.back();
            stack.pop_back();
            if (seen[at(vertex)]) continue;
            seen[at(vertex)] = true;
            loop.push_back(vertex);
            const std::size_t size = stack.size();
            for (auto edge = first_of(vertex); edge != both.end() && edge->from == vertex; ++edge) {
                if (!seen[at(edge->to)]) stack.push_back(edge->to);
            }
            std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(size), stack.end());  // the first arrow is followed first
        }
    }
    return loops;
}

}  // namespace

Index drop_copies(std::vector<Triangle>& faces, const Incidence& incidence, core::ThreadTeam& team) {
    const auto vertices = static_cast<Index>(incidence.first.size()) - 1;
    std::vector<std::vector<std::uint32_t>> found(at(Index{team.size()}));
    share_out(team, vertices, [&](Index begin, Index end, int worker) {
        std::vector<std::array<std::uint32_t, 3>> keys;
        for (Index v = begin; v < end; ++v)
            find_copies(static_cast<Vertex>(v), incidence.at(static_cast<Vertex>(v)), keys, found[at(Index{worker})]);
    });
    std::vector<bool> copy;
    Index count = 0;
    for (const std::vector<std::uint32_t>& copies : found) {
        if (!copies.empty()) copy.resize(faces.size());
        for (std::uint32_t face : copies) copy[face] = true;
        count += static_cast<Index>(copies.size());
    }
    if (count == 0) return 0;
    std::size_t kept = 0;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        if (!copy[f]) faces[kept++] = faces[f];
    }
    faces.resize(kept);
    return count;
}

void find_boundary(Surface& surface, const Incidence& incidence, core::ThreadTeam& team) {
    std::vector<Findings> found(at(Index{team.size()}));
    share_out(team, static_cast<Index>(surface.position.size()), [&](Index begin, Index end, int worker) {
        std::vector<Spoke> spokes;
        FanCounter fans;
        for (Index i = begin; i < end; ++i) {
            const auto corners = incidence.at(static_cast<Vertex>(i));
            spokes_of(corners, surface.original, spokes);
            look_at(surface.original[at(i)], spokes, corners.size(), fans, found[at(Index{worker})]);
        }
    });
    std::vector<Edge> boundary;
    MeshReport& report = surface.report;
    for (const Findings& part : found) {
        report.non_manifold_edges += part.non_manifold_edges;
        report.non_manifold_vertices += part.non_manifold_vertices;
        report.inconsistent_edges += part.inconsistent_edges;
        boundary.insert(boundary.end(), part.boundary.begin(), part.boundary.end());
    }
    surface.loops = walk_loops(std::move(boundary));
    for (std::vector<Vertex>& loop : surface.loops) {
        for (Vertex& v : loop) v = surface.vertex_of[at(v)];
    }
}

Topology topology_of(const Surface& surface) {
    core::ThreadTeam team(1);
    const Incidence incidence = incidence_of(surface.faces, surface.position.size(), team);
    std::vector<Vertex> root(surface.position.size());
    std::iota(root.begin(), root.end(), 0);
    auto find = [&](Vertex v) {
        while (root[at(v)] != v) v = root[at(v)] = root[at(root[at(v)])];
        return v;
    };
    Topology topology;
    topology.components = static_cast<Index>(surface.position.size());
    std::vector<Spoke> spokes;
    for (std::size_t v = 0; v < surface.position.size(); ++v) {
        const auto vertex = static_cast<Vertex>(v);
        spokes_of(incidence.at(vertex), surface.original, spokes);
        for (std::size_t s = 0; s < spokes.size(); ++s) {
            if (spokes[s].neighbour < vertex || (s > 0 && spokes[s].neighbour == spokes[s - 1].neighbour)) continue;
            ++topology.edges;
            const Vertex a = find(vertex), b = find(spokes[s].neighbour);
            if (a == b) continue;
            root[at(std::max(a, b))] = std::min(a, b);
            --topology.components;
        }
    }
    return topology;
}

}  // namespace mottle::domain
