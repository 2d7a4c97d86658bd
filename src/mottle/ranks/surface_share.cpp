// mottle/ranks/surface_share.cpp: the vertices of a surface shared out to ranks
#include "mottle/ranks/surface_share.h"

#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/domain.h"
#include "mottle/domain/mesh/parts.h"

#include <algorithm>
#include <cmath>

namespace mottle::ranks {
namespace {

using core::at;
using domain::Vertex;

/// Edges that one step reaches: one for each stage that looks at neighbours.
int edges_of_step(const ir::Program& program) {
    const auto count = [](const ir::Sweep& sweep) {
        return std::count_if(sweep.stages.begin(), sweep.stages.end(), [](const ir::Stage& stage) {
            return std::any_of(stage.code.begin(), stage.code.end(), [](const ir::Instruction& i) { return i.op == ir::Op::neighbour; });
        });
    };
    const auto most = program.flush_step ? std::max(count(program.step), count(*program.flush_step)) : count(program.step);
    return static_cast<int>(most);
}

/// A halo that is narrow beside its share.
int usual_steps_on(const domain::Mesh& mesh, int ranks, int edges) {
    constexpr double kMostSteps = 8, kShareToHalo = 16;
    const double width = std::sqrt(static_cast<double>(mesh.vertex_count()) / ranks);
    return static_cast<int>(std::clamp(width / (kShareToHalo * std::max(edges, 1)), 1.0, kMostSteps));
}

Vertex place_in(const std::vector<Vertex>& vertices, Vertex v) {
    return static_cast<Vertex>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
}

Trade& trade_with(SurfaceShare& share, int rank) {
    const auto found = std::find_if(share.trades.begin(), share.trades.end(), [rank](const Trade& trade) { return trade.rank == rank; });
    return found == share.trades.end() ? share.trades.emplace_back(Trade{rank, {}, {}}) : *found;
}

/// Empty where it would be most of the share.
SurfaceRim rim_of(const domain::Graph& graph, const SurfaceShare& share, int reach, std::vector<std::int32_t>& hop) {
    std::vector<bool> is_own(share.vertices.size());
    for (const Vertex place : share.own) is_own[at(place)] = true;
    std::vector<Vertex> halo;
    for (std::size_t i = 0; i < share.vertices.size(); ++i) {
        if (!is_own[i]) halo.push_back(share.vertices[i]);
    }
    SurfaceRim rim;
    if (halo.empty()) return rim;
    const domain::Levels near = domain::surroundings(graph, halo, 2 * reach, hop);
    std::size_t own = 0;
    for (std::size_t i = 0; i < share.vertices.size(); ++i) {
        const std::int32_t away = hop[at(share.vertices[i])];
        if (away > 2 * reach) continue;
        if (is_own[i] && away <= reach) rim.good.push_back(static_cast<Vertex>(rim.vertices.size()));
        own += is_own[i] ? 1 : 0;
        rim.vertices.push_back(static_cast<Vertex>(i));
    }
    for (const Vertex v : near.order) hop[at(v)] = domain::kFarHop;
    return 2 * own <= share.own.size() ? rim : SurfaceRim();
}

/// The rank of each vertex of the whole.
std::vector<int> owners_of(const std::vector<domain::MeshPart>& parts, Index vertices) {
    std::vector<int> owner(at(vertices));
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        for (const Vertex v : parts[rank].vertices) owner[at(v)] = static_cast<int>(rank);
    }
    return owner;
}

/// Sorts the vertices of each share into its own ones and those that it receives, which their owners send. Returns the place of each vertex of the whole among
/// the own ones of its owner.
std::vector<Vertex> arrange_trades(std::vector<SurfaceShare>& shares, const std::vector<int>& owner) {
    std::vector<Vertex> place_of_own(owner.size());
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        SurfaceShare& share = shares[rank];
        for (std::size_t i = 0; i < share.vertices.size(); ++i) {
            const Vertex v = share.vertices[i], here = static_cast<Vertex>(i);
            const int from = owner[at(v)];
            if (from == static_cast<int>(rank)) {
                place_of_own[at(v)] = static_cast<Vertex>(share.own.size());
                share.own.push_back(here);
                continue;
            }
            trade_with(share, from).received.push_back(here);
            SurfaceShare& other = shares[at(from)];
            trade_with(other, static_cast<int>(rank)).sent.push_back(place_in(other.vertices, v));
        }
    }
    return place_of_own;
}

/// The entries of a mesh file, each to the rank that owns its vertex; those without a vertex to rank 0.
void share_entries(std::vector<SurfaceShare>& shares, const domain::Surface& surface, const std::vector<int>& owner,
                   const std::vector<Vertex>& place_of_own) {
    for (SurfaceShare& share : shares) share.entries.count = std::ssize(surface.vertex_of);
    for (std::size_t i = 0; i < surface.vertex_of.size(); ++i) {
        const Vertex v = surface.vertex_of[i];
        if (surface.counts(i)) continue;
        FileEntries& entries = shares[v < 0 ? 0 : at(owner[at(v)])].entries;
        entries.number.push_back(static_cast<Vertex>(i));
        entries.own.push_back(v < 0 ? -1 : place_of_own[at(v)]);
    }
}

}  // namespace

std::vector<Vertex> rim_vertices(const SurfaceShare& share) {
    std::vector<Vertex> vertices;
    vertices.reserve(share.rim.vertices.size());
    for (const Vertex place : share.rim.vertices) vertices.push_back(share.vertices[at(place)]);
    return vertices;
}

domain::PieceWeights weights_of(const ir::Program& program) {
    const backend::StepPlan plan(program);
    const auto reads = [&](ir::Edge edge) { return plan.edges.contains(edge); };
    return {reads(ir::kEdgeLaplacian), {reads(ir::kEdgeGradientX), reads(ir::kEdgeGradientY), reads(ir::kEdgeGradientZ)}};
}

std::vector<SurfaceShare> share_out(const ir::Program& program, const domain::Mesh& mesh, int ranks, int asked, core::ThreadTeam& team) {
    const domain::Graph graph(*mesh.operators);
    const std::vector<domain::MeshPart> parts = domain::bisect(graph, ranks, mesh.vertex_count(), team);
    const bool empty = std::any_of(parts.begin(), parts.end(), [](const domain::MeshPart& part) { return part.vertices.empty(); });
    if (std::ssize(parts) != ranks || empty) {
        throw core::InputError(domain::describe(mesh) + " cannot be cut for " + core::grouped(ranks) +
                               " ranks; run fewer ranks with more threads each");
    }
    const int edges = edges_of_step(program);
    const int steps = asked > 0 ? asked : program.phases ? 1 : usual_steps_on(mesh, ranks, edges);
    std::vector<SurfaceShare> shares(parts.size());
    std::vector<std::int32_t> hop(at(mesh.vertex_count()), domain::kFarHop);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        SurfaceShare& share = shares[rank];
        share.whole = mesh.vertex_count();
        share.steps = steps;
        share.vertices = domain::surroundings(graph, parts[rank].vertices, steps * edges, hop).order;
        for (const Vertex v : share.vertices) hop[at(v)] = domain::kFarHop;
        std::sort(share.vertices.begin(), share.vertices.end());
    }
    const std::vector<int> owner = owners_of(parts, mesh.vertex_count());
    const std::vector<Vertex> place_of_own = arrange_trades(shares, owner);
    share_entries(shares, *mesh.surface, owner, place_of_own);
    for (SurfaceShare& share : shares) {
        if (!program.phases) share.rim = rim_of(graph, share, steps * edges, hop);
        std::sort(share.trades.begin(), share.trades.end(), [](const Trade& a, const Trade& b) { return a.rank < b.rank; });
    }
    return shares;
}

}  // namespace mottle::ranks
