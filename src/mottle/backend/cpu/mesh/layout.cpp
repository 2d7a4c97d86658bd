// mottle/backend/cpu/mesh/layout.cpp: packs a part of a mesh
#include "mottle/backend/cpu/mesh/layout.h"

#include "mottle/backend/cpu/mesh/slice_kernel.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <limits>

namespace mottle::backend::cpu {
namespace {

using core::at;

/// Starts of rings: levels merged until they hold `fewest` vertices.
std::vector<Index> merge_levels(const domain::Levels& levels, Index fewest) {
    std::vector<Index> rings = {0};
    const Index count = levels.first.back();
    for (std::size_t l = 1; l + 1 < levels.first.size(); ++l) {
        if (levels.first[l] - rings.back() >= fewest) rings.push_back(levels.first[l]);
    }
    if (rings.size() > 1 && count - rings.back() < fewest / 2) rings.pop_back();
    rings.push_back(count);
    return rings;
}

class Packer {
   public:
    Packer(const domain::Graph& graph, const std::vector<const std::vector<double>*>& weights, const Packing& packing,
           domain::PartScratch& scratch, PartLayout& layout)
        : graph_(graph), weights_(weights), packing_(packing), scratch_(scratch), layout_(layout) {}

    void place_rings(const domain::Levels& levels) {
        const std::vector<Index> rings = packing_.as_given ? levels.first : merge_levels(levels, packing_.ring);
        const auto lanes = at(packing_.lanes);
        layout_.ring_first = {0};
        std::vector<Vertex> ring;
        for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
            ring.assign(levels.order.begin() + rings[r], levels.order.begin() + rings[r + 1]);
            const std::size_t window = packing_.as_given ? at(packing_.ring) : ring.size();
            for (std::size_t begin = 0; begin < ring.size(); begin += window) {
                const auto first = ring.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto end = ring.begin() + static_cast<std::ptrdiff_t>(std::min(begin + window, ring.size()));
                std::stable_sort(first, end,
                                 [this](Vertex a, Vertex b) { return hop(a) != hop(b) ? hop(a) < hop(b) : valence(a) < valence(b); });
            }
            const std::size_t base = layout_.vertex.size();
            for (std::size_t k = 0; k < ring.size(); ++k) {
                scratch_.slot[at(ring[k])] = static_cast<std::int32_t>(base + k);
                layout_.vertex.push_back(ring[k]);
            }
            while (layout_.vertex.size() % lanes != 0) layout_.vertex.push_back(-1);
            const auto slices = static_cast<std::int32_t>((layout_.vertex.size() - base) / lanes);
            for (int level = 0; level <= packing_.levels; ++level) {
                std::int32_t needed = 0;
                for (std::int32_t s = 0; s < slices; ++s) {
                    const Vertex first = layout_.vertex[base + at(s) * lanes];  // the nearest of its slice
                    if (packing_.levels == 0 || hop(first) <= packing_.levels - level) needed = s + 1;
                }
                layout_.needed.push_back(needed);
            }
            layout_.ring_first.push_back(layout_.ring_first.back() + slices);
        }
    }

    void count_entries() {
        layout_.entries = {0};
        for (int s = 0; s < layout_.slices(); ++s) {
            Index most = 0;
            for (int e = 0; e < packing_.lanes; ++e) {
                const Vertex v = layout_.vertex[at(s) * at(packing_.lanes) + at(e)];
                if (v >= 0) most = std::max(most, valence(v));
            }
            layout_.entries.push_back(layout_.entries.back() + static_cast<std::int32_t>(most));
        }
    }

    template <class Real, class Short>
    bool fill() {
        const auto lanes = at(packing_.lanes), entries = at(layout_.entries.back());
        layout_.weight_bytes = weights_.size() * lanes * sizeof(Real);
        layout_.weights = Memory(entries * layout_.weight_bytes + 4096);
        layout_.indices = Memory(entries * lanes * sizeof(Short) + 4096);
        auto* weights = reinterpret_cast<Real*>(layout_.weights.data());
        auto* indices = reinterpret_cast<Short*>(layout_.indices.data());
        for (int ring = 0; ring < layout_.rings(); ++ring) {
            const std::int32_t base = layout_.ring_first[at(std::max(ring - 1, 0))] * packing_.lanes;
            for (std::int32_t s = layout_.ring_first[at(ring)]; s < layout_.ring_first[at(ring) + 1]; ++s) {
                for (std::int32_t k = layout_.entries[at(s)]; k < layout_.entries[at(s) + 1]; ++k) {
                    for (int lane = 0; lane < packing_.lanes; ++lane) {
                        const int element = lane_element(packing_.f64, packing_.lanes, lane);
                        const std::int32_t own = s * packing_.lanes + element;
                        const Vertex v = layout_.vertex[at(own)];
                        const Index place = k - layout_.entries[at(s)];
                        std::int32_t from = own;
                        Index entry = -1;
                        if (v >= 0 && place < valence(v)) {
                            entry = graph_.first[at(v)] + place;
                            from = scratch_.slot[at(graph_.neighbour[at(entry)])];
                        }
                        const std::int64_t offset = static_cast<std::int64_t>(from) - base;
                        if (offset < 0 || offset > std::numeric_limits<Short>::max()) return false;
                        indices[at(k) * lanes + at(element)] = static_cast<Short>(offset);
                        for (std::size_t e = 0; e < weights_.size(); ++e) {
                            weights[(at(k) * weights_.size() + e) * lanes + at(lane)] =
                                entry < 0 ? Real(-0.0) : ir::round_to<Real>((*weights_[e])[at(entry)]);
                        }
                    }
                }
            }
        }
        return true;
    }

   private:
    std::int32_t hop(Vertex v) const { return scratch_.hop[at(v)]; }
    /// Neighbours that are visited: the outermost ghosts are only read.
    Index valence(Vertex v) const {
        return packing_.levels > 0 && hop(v) >= packing_.levels ? 0 : static_cast<Index>(graph_.ring(v).size());
    }

    const domain::Graph& graph_;
    const std::vector<const std::vector<double>*>& weights_;
    const Packing& packing_;
    domain::PartScratch& scratch_;
    PartLayout& layout_;
};

}  // namespace

bool pack_part(const domain::Graph& graph, const std::vector<const std::vector<double>*>& weights, const domain::MeshPart& part,
               const Packing& packing, domain::PartScratch& scratch, PartLayout& layout) {
    const std::vector<Vertex> vertices = domain::surroundings(graph, part.vertices, packing.levels, scratch.hop).order;
    for (const Vertex v : vertices) scratch.inside[at(v)] = 1;
    const domain::Levels levels = packing.as_given ? domain::Levels{vertices, {0, static_cast<Index>(vertices.size())}}
                                                   : domain::levels_of(graph, vertices, scratch.inside, part.end, scratch.search);
    layout = PartLayout();
    Packer packer(graph, weights, packing, scratch, layout);
    packer.place_rings(levels);
    packer.count_entries();
    const bool fits = packing.f64 ? (packing.wide ? packer.fill<double, std::uint32_t>() : packer.fill<double, std::uint16_t>())
                                  : (packing.wide ? packer.fill<float, std::uint32_t>() : packer.fill<float, std::uint16_t>());
    for (Index slot = 0; slot < layout.slots(); ++slot) {
        const Vertex v = layout.vertex[at(slot)];
        if (v >= 0 && scratch.hop[at(v)] > 0) layout.ghosts.push_back({static_cast<std::int32_t>(slot), -1, -1});
    }
    for (const Vertex v : vertices) {
        scratch.hop[at(v)] = domain::kFarHop;
        scratch.inside[at(v)] = 0;
    }
    return fits;
}

}  // namespace mottle::backend::cpu
