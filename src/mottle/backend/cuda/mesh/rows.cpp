// mottle/backend/cuda/mesh/rows.cpp: the rows of a mesh as kernels read them
#include "mottle/backend/cuda/mesh/rows.h"

#include "mottle/backend/mesh_order.h"
#include "mottle/core/error.h"
#include "mottle/domain/mesh/parts.h"

#include <algorithm>
#include <limits>

namespace mottle::backend::cuda {
namespace {

using core::at;

constexpr std::size_t kWindow = 1024;

}  // namespace

std::vector<Vertex> device_order(const domain::Mesh& mesh, VertexOrder wanted, core::ThreadTeam& team) {
    const domain::Graph graph(*mesh.operators);
    std::vector<Vertex> order = given_order(*mesh.surface, wanted, team);
    if (order.empty()) {
        const domain::MeshPart all = domain::bisect(graph, 1, graph.vertex_count() + 1, team).front();
        const std::vector<std::uint8_t> inside(all.vertices.size(), 1);
        domain::SearchScratch scratch(graph.vertex_count());
        order = domain::levels_of(graph, all.vertices, inside, all.end, scratch).order;
    }
    for (std::size_t first = 0; first < order.size(); first += kWindow) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
        std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(std::min(kWindow, order.size() - first)),
                         [&](Vertex a, Vertex b) { return graph.ring(a).size() > graph.ring(b).size(); });
    }
    return order;
}

void MeshRows::add(const domain::MeshOperators& rows, std::span<const Vertex> vertices, std::span<const std::int32_t> number) {
    for (std::size_t first = 0; first < vertices.size(); first += at(kSlice)) {
        const std::span<const Vertex> lanes = vertices.subspan(first, std::min(at(kSlice), vertices.size() - first));
        auto valence = [&](Vertex vertex) { return rows.first[at(vertex) + 1] - rows.first[at(vertex)]; };
        Index longest = 0;
        for (const Vertex vertex : lanes) {
            if (valence(vertex) > std::numeric_limits<std::uint8_t>::max()) {
                throw core::InputError("vertex " + std::to_string(vertex) + " has " + std::to_string(valence(vertex)) +
                                       " neighbours, and the CUDA backend takes 255; remesh the surface, or use --device cpu");
            }
            valences_.push_back(static_cast<std::uint8_t>(valence(vertex)));
            longest = std::max(longest, valence(vertex));
        }
        valences_.resize((valences_.size() + at(kSlice) - 1) / at(kSlice) * at(kSlice));
        const std::size_t begin = numbers_.size();
        slices_.push_back({static_cast<long long>(begin), 0});
        numbers_.resize(begin + at(kSlice * longest));
        edges_.resize(numbers_.size(), -1);
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            for (Index k = 0; k < valence(lanes[lane]); ++k) {
                const Index edge = rows.first[at(lanes[lane])] + k;
                const std::size_t entry = begin + at(kSlice * k) + lane;
                edges_[entry] = edge;
                numbers_[entry] = number[at(rows.neighbour[at(edge)])];
            }
        }
    }
}

bool MeshRows::shorten() {
    std::vector<std::int32_t> bases(slices_.size());
    auto each = [&](auto&& work) {
        for (std::size_t s = 0; s < slices_.size(); ++s) {
            const std::size_t end = s + 1 < slices_.size() ? at(slices_[s + 1].first) : numbers_.size();
            for (std::size_t entry = at(slices_[s].first); entry < end; ++entry) {
                if (edges_[entry] >= 0) work(s, numbers_[entry]);
            }
        }
    };
    std::fill(bases.begin(), bases.end(), std::numeric_limits<std::int32_t>::max());
    each([&](std::size_t s, std::int32_t number) { bases[s] = std::min(bases[s], number); });
    bool fits = true;
    each([&](std::size_t s, std::int32_t number) { fits = fits && number - bases[s] <= std::numeric_limits<std::uint16_t>::max(); });
    if (!fits) return false;
    each([&](std::size_t s, std::int32_t& number) { number -= bases[s]; });
    for (std::size_t s = 0; s < slices_.size(); ++s) slices_[s].base = bases[s];
    return true;
}

}  // namespace mottle::backend::cuda
