// mottle/backend/cuda/mesh/patches.cpp: a mesh cut into patches
#include "mottle/backend/cuda/mesh/patches.h"

#include "mottle/domain/mesh/parts.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::at;

/// Puts the vertices of `part` in the order of their rings.
void sort_by_rings(const domain::Graph& graph, domain::MeshPart& part, domain::PartScratch& scratch) {
    for (const Vertex v : part.vertices) scratch.inside[at(v)] = 1;
    std::vector<Vertex> sorted = domain::levels_of(graph, part.vertices, scratch.inside, part.end, scratch.search).order;
    for (const Vertex v : part.vertices) scratch.inside[at(v)] = 0;
    part.vertices = std::move(sorted);
}

/// The part with its ghosts.
domain::Levels surround(const domain::Graph& graph, const domain::MeshPart& part, int hops, domain::PartScratch& scratch) {
    domain::Levels levels = domain::surroundings(graph, part.vertices, hops, scratch.hop);
    for (const Vertex v : levels.order) scratch.hop[at(v)] = domain::kFarHop;
    return levels;
}

/// Parts within the limits, each in the order of its rings; none, if a single vertex exceeds them.
std::vector<domain::MeshPart> cut(const domain::Graph& graph, const PatchLimits& limits, Index owned, core::ThreadTeam& team,
                                  domain::PartScratch& scratch) {
    std::vector<domain::MeshPart> open = domain::bisect(graph, team.size(), graph.vertex_count() + 1, team, std::max<Index>(1, owned)),
                                  done;
    std::reverse(open.begin(), open.end());
    while (!open.empty()) {
        domain::MeshPart part = std::move(open.back());
        open.pop_back();
        sort_by_rings(graph, part, scratch);
        const domain::Levels levels = surround(graph, part, limits.steps, scratch);
        if (levels.first[at(limits.steps)] <= limits.rows && levels.first.back() <= limits.slots) {
            done.push_back(std::move(part));
            continue;
        }
        if (part.vertices.size() == 1) return {};
        const auto middle = part.vertices.begin() + static_cast<std::ptrdiff_t>(part.vertices.size() / 2);
        open.push_back({0, part.vertices.back(), {middle, part.vertices.end()}});
        open.push_back({0, part.vertices.front(), {part.vertices.begin(), middle}});
    }
    return done;
}

}  // namespace

MeshPatches::MeshPatches(const domain::Mesh& mesh, const PatchLimits& limits, Index owned, core::ThreadTeam& team) {
    const domain::Graph graph(*mesh.operators);
    domain::PartScratch scratch(graph.vertex_count());
    const std::vector<domain::MeshPart> parts = cut(graph, limits, owned, team, scratch);
    count_ = static_cast<Index>(parts.size());
    for (const domain::MeshPart& part : parts) {
        domain::Levels levels = surround(graph, part, limits.steps, scratch);
        for (std::size_t hop = 0; hop + 1 < levels.first.size(); ++hop) {
            std::stable_sort(levels.order.begin() + levels.first[hop], levels.order.begin() + levels.first[hop + 1],
                             [&](Vertex a, Vertex b) { return graph.ring(a).size() > graph.ring(b).size(); });
        }
        for (std::size_t slot = 0; slot < levels.order.size(); ++slot)
            scratch.slot[at(levels.order[slot])] = static_cast<std::int32_t>(slot);
        records_.push_back(static_cast<std::int32_t>(order_.size()));
        records_.push_back(static_cast<std::int32_t>(ghosts_.size()));
        records_.push_back(static_cast<std::int32_t>(rows_.slices().size()));
        for (std::size_t hop = 1; hop < levels.first.size(); ++hop) records_.push_back(static_cast<std::int32_t>(levels.first[hop]));
        rows_.add(*mesh.operators, std::span(levels.order).first(at(levels.first[at(limits.steps)])), scratch.slot);
        const auto ghosts = levels.order.begin() + levels.first[1];
        order_.insert(order_.end(), levels.order.begin(), ghosts);
        ghosts_.insert(ghosts_.end(), ghosts, levels.order.end());
    }
    std::vector<std::int32_t> position(at(graph.vertex_count()));
    for (std::size_t p = 0; p < order_.size(); ++p) position[at(order_[p])] = static_cast<std::int32_t>(p);
    for (std::int32_t& ghost : ghosts_) ghost = position[at(ghost)];
}

}  // namespace mottle::backend::cuda
