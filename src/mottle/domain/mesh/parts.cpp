// mottle/domain/mesh/parts.cpp: recursive bisection of the graph of a mesh
#include "mottle/domain/mesh/parts.h"

#include "mottle/core/cancellation.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace mottle::domain {
namespace {

constexpr std::size_t kFewestVertices = 20000;  ///< a part below is not halved for its width
constexpr int kSmoothings = 4;

using core::at;

/// Appends the component of `start` among the vertices that `inside` accepts and that are not marked; marks them.
template <class Inside>
void search(const Graph& graph, Vertex start, Inside inside, Visits& visits, Levels& levels) {
    levels.order.push_back(start);
    visits.mark(start);
    std::size_t begin = levels.order.size() - 1;
    while (begin < levels.order.size()) {
        const std::size_t end = levels.order.size();
        for (; begin < end; ++begin) {
            for (const Vertex j : graph.ring(levels.order[begin])) {
                if (visits.seen(j) || !inside(j)) continue;
                visits.mark(j);
                levels.order.push_back(j);
            }
        }
        levels.first.push_back(static_cast<Index>(levels.order.size()));
    }
    // the last search found an empty level
    if (levels.first.size() > 1 && levels.first[levels.first.size() - 2] == levels.first.back()) levels.first.pop_back();
}

/// A vertex far from `start` in its component.
template <class Inside>
Vertex far_end(const Graph& graph, Vertex start, Inside inside, Visits& visits, Levels& scratch) {
    visits.start();
    scratch.order.clear();
    scratch.first.assign(1, 0);
    search(graph, start, inside, visits, scratch);
    return scratch.order.back();
}

/// What one worker needs to cut sets. Tags and keys are shared: a worker changes those of its own vertices alone, and of others it reads
/// the tag only, to see that it is not its own.
class Bisector {
    struct Component {
        Vertex end;
        float depth, offset;
    };

    int tag_of(Vertex v) const { return std::atomic_ref(tag_[at(v)]).load(std::memory_order_relaxed); }

    auto inside(int tag) const {
        return [this, tag](Vertex v) { return tag_of(v) == tag; };
    }

   public:
    Bisector(const Graph& graph, Index widest, Index largest, std::vector<int>& tag, std::vector<float>& key, std::vector<float>& smoothed)
        : graph_(graph),
          widest_(widest),
          largest_(largest),
          tag_(tag),
          key_(key),
          smoothed_(smoothed),
          visits_(graph.vertex_count()),
          done_(graph.vertex_count()) {}

    struct Set {
        int tag = 0;
        Vertex hint = -1;  ///< a vertex at an end, if known
        std::vector<Vertex> vertices;
    };

    /// Sets the keys of `set` to the level from one end of each component.
    /// Returns the width of the widest level, and the end of the largest component.
    std::pair<Index, Vertex> measure(const Set& set) {
        components_.clear();
        done_.start();
        Index widest = 0;
        std::size_t largest = 0;
        Vertex end = set.vertices.front();
        float offset = 0;
        auto component = [&](Vertex start) {
            const Vertex a = far_end(graph_, start, inside(set.tag), visits_, levels_);
            far_end(graph_, a, inside(set.tag), visits_, levels_);
            for (std::size_t l = 0; l + 1 < levels_.first.size(); ++l) {
                widest = std::max(widest, levels_.first[l + 1] - levels_.first[l]);
                for (Index k = levels_.first[l]; k < levels_.first[l + 1]; ++k) {
                    const Vertex v = levels_.order[at(k)];
                    key_[at(v)] = static_cast<float>(l);
                    done_.mark(v);
                }
            }
            const auto depth = static_cast<float>(levels_.first.size());
            components_.push_back({levels_.order.back(), depth, offset});
            offset += 4 * depth;
            if (levels_.order.size() > largest) {
                largest = levels_.order.size();
                end = a;
            }
        };
        if (set.hint >= 0 && tag_of(set.hint) == set.tag) component(set.hint);
        for (const Vertex v : set.vertices) {
            if (!done_.seen(v)) component(v);
        }
        return {widest, end};
    }

    /// Halves `set`, just measured, at the quantile `share`; the second half takes `tag`.
    std::pair<Set, Set> cut(const Set& set, double share, int tag, Vertex end) {
        for (const Component& c : components_) {
            far_end(graph_, c.end, inside(set.tag), visits_, levels_);
            for (std::size_t l = 0; l + 1 < levels_.first.size(); ++l) {
                for (Index k = levels_.first[l]; k < levels_.first[l + 1]; ++k) {
                    key_[at(levels_.order[at(k)])] += c.offset + c.depth - static_cast<float>(l);
                }
            }
        }
        smooth(set);
        std::vector<std::pair<float, Vertex>> order;
        order.reserve(set.vertices.size());
        for (const Vertex v : set.vertices) order.emplace_back(key_[at(v)], v);
        const auto middle = static_cast<std::size_t>(share * static_cast<double>(order.size()));
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle), order.end());
        const Vertex other_end = components_.front().end;
        Set low{set.tag, end, {}}, high{tag, other_end, {}};
        for (std::size_t k = 0; k < order.size(); ++k) (k < middle ? low : high).vertices.push_back(order[k].second);
        // the order of a set decides how its components follow one another: that of the numbers, whatever nth_element did
        std::sort(low.vertices.begin(), low.vertices.end());
        std::sort(high.vertices.begin(), high.vertices.end());
        for (const Vertex v : high.vertices) std::atomic_ref(tag_[at(v)]).store(tag, std::memory_order_relaxed);
        return {std::move(low), std::move(high)};
    }

    /// The share of its first half, if `set` is to be cut; else 0.
    double share(const Set& set, Index width) const {
        if (largest_ > 0 && set.vertices.size() > at(largest_)) {
            const std::size_t pieces = (set.vertices.size() + at(largest_) - 1) / at(largest_);
            const std::size_t half = pieces / 2;
            return static_cast<double>(half) / static_cast<double>(pieces);
        }
        return width > widest_ && set.vertices.size() >= kFewestVertices ? 0.5 : 0;
    }

   private:
    void smooth(const Set& set) {
        for (int round = 0; round < kSmoothings; ++round) {
            for (const Vertex v : set.vertices) {
                float sum = key_[at(v)];
                int count = 1;
                for (const Vertex j : graph_.ring(v)) {
                    if (tag_of(j) != set.tag) continue;
                    sum += key_[at(j)];
                    ++count;
                }
                smoothed_[at(v)] = sum / static_cast<float>(count);
            }
            for (const Vertex v : set.vertices) key_[at(v)] = smoothed_[at(v)];
        }
    }

    const Graph& graph_;
    Index widest_, largest_;
    std::vector<int>& tag_;
    std::vector<float>& key_;
    std::vector<float>& smoothed_;
    Visits visits_, done_;
    Levels levels_;
    std::vector<Component> components_;
};

}  // namespace

std::vector<MeshPart> bisect(const Graph& graph, int threads, Index widest, core::ThreadTeam& team, Index largest) {
    const auto count = at(graph.vertex_count());
    std::vector<int> tag(count, 0);
    std::vector<float> key(count), smoothed(count);
    Bisector::Set all;
    all.vertices.resize(count);
    for (std::size_t v = 0; v < count; ++v) all.vertices[v] = static_cast<Vertex>(v);

    // One set per thread first, on this thread: the first cut is most of the work and has no parallel part.
    std::vector<std::pair<Bisector::Set, int>> open;  // a set and its number of threads
    open.emplace_back(std::move(all), std::max(1, static_cast<int>(std::min<Index>(threads, graph.vertex_count()))));
    Bisector bisector(graph, widest, largest, tag, key, smoothed);
    int tags = 1;
    for (bool cut = true; cut;) {
        cut = false;
        std::vector<std::pair<Bisector::Set, int>> next;
        for (auto& [set, share] : open) {
            if (share == 1) {
                next.emplace_back(std::move(set), 1);
                continue;
            }
            cut = true;
            const int left = share / 2;
            const Vertex end = bisector.measure(set).second;
            auto [low, high] = bisector.cut(set, static_cast<double>(left) / share, tags++, end);
            next.emplace_back(std::move(low), left);
            next.emplace_back(std::move(high), share - left);
        }
        open = std::move(next);
    }

    // Then each thread halves its own set. Tags of different threads never meet: n sets take at most n tags of vertices each.
    std::vector<std::vector<MeshPart>> parts(open.size());
    team.run([&](int worker) {
        for (std::size_t t = at(worker); t < open.size(); t += at(team.size())) {
            Bisector own(graph, widest, largest, tag, key, smoothed);
            int next_tag = static_cast<int>(open.size() + t);
            std::vector<Bisector::Set> stack;
            stack.push_back(std::move(open[t].first));
            while (!stack.empty()) {
                core::cancellation_point();
                Bisector::Set set = std::move(stack.back());
                stack.pop_back();
                if (set.vertices.empty()) continue;
                const auto [width, end] = own.measure(set);
                const double share = own.share(set, width);
                if (share == 0) {
                    parts[t].push_back({static_cast<int>(t), end, std::move(set.vertices)});
                    continue;
                }
                auto [low, high] = own.cut(set, share, next_tag, end);
                next_tag += static_cast<int>(open.size());
                stack.push_back(std::move(high));
                stack.push_back(std::move(low));
            }
        }
    });
    std::vector<MeshPart> all_parts;
    for (auto& list : parts) {
        for (auto& part : list) all_parts.push_back(std::move(part));
    }
    return all_parts;
}

Levels levels_of(const Graph& graph, std::span<const Vertex> vertices, std::span<const std::uint8_t> inside, Vertex end,
                 SearchScratch& scratch) {
    auto accepted = [&](Vertex v) { return inside[at(v)] != 0; };
    // Ends of components are found by searches that mark and forget; the levels themselves keep one mark.
    Visits& found = scratch.found;
    found.start();
    Levels levels, search_levels;
    levels.first.assign(1, 0);
    auto append = [&](Vertex start) { search(graph, start, accepted, found, levels); };
    append(end);
    for (const Vertex v : vertices) {
        if (found.seen(v)) continue;
        const Vertex a = far_end(graph, v, accepted, scratch.visits, search_levels);
        append(far_end(graph, a, accepted, scratch.visits, search_levels));
    }
    return levels;
}

Levels surroundings(const Graph& graph, std::span<const Vertex> vertices, int hops, std::vector<std::int32_t>& hop) {
    Levels levels{{vertices.begin(), vertices.end()}, {0, static_cast<Index>(vertices.size())}};
    for (const Vertex v : vertices) hop[at(v)] = 0;
    for (int distance = 1; distance <= hops; ++distance) {
        for (Index k = levels.first[at(distance) - 1]; k < levels.first[at(distance)]; ++k) {
            for (const Vertex j : graph.ring(levels.order[at(k)])) {
                if (hop[at(j)] != kFarHop) continue;
                hop[at(j)] = distance;
                levels.order.push_back(j);
            }
        }
        levels.first.push_back(static_cast<Index>(levels.order.size()));
    }
    return levels;
}

}  // namespace mottle::domain
