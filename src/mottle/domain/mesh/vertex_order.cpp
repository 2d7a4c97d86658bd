// mottle/domain/mesh/vertex_order.cpp: Morton order by a radix sort
#include "mottle/domain/mesh/vertex_order.h"

#include "mottle/domain/mesh/incidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mottle::domain {

namespace {

constexpr std::size_t kSmall = 100000;       // fewer vertices stay in the cache in any order
constexpr std::size_t kSampledFaces = 4096;  // of the faces
constexpr std::uint32_t kCells = 1024;       // per axis: 10 bits
constexpr std::uint32_t kDigits = 1u << 10;  // of one pass of the sort

/// 10 bits, two zeros between each.
std::uint32_t spread(std::uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

}  // namespace

bool is_scattered(std::size_t vertices, std::span<const Triangle> faces) {
    if (vertices < kSmall || faces.empty()) return false;
    double distance = 0;
    const std::size_t step = std::max<std::size_t>(1, faces.size() / kSampledFaces);
    std::size_t count = 0;
    for (std::size_t f = 0; f < faces.size(); f += step, ++count) {
        const auto [low, high] = std::minmax_element(faces[f].begin(), faces[f].end());
        distance += static_cast<double>(*high - *low);
    }
    return distance / static_cast<double>(count) >= static_cast<double>(vertices) / 16;
}

std::vector<Vertex> morton_order(const std::vector<Point>& position, core::ThreadTeam& team) {
    std::vector<Vertex> order(position.size());
    std::iota(order.begin(), order.end(), 0);
    const Box box = bounds(position);
    double side = 0;
    for (std::size_t d = 0; d < 3; ++d) side = std::max(side, box.hi[d] - box.lo[d]);
    if (!std::isfinite(side) || !(side > 0)) return order;
    struct Place {
        std::uint32_t key;
        Vertex vertex;
    };
    std::vector<Place> places(position.size()), sorted(position.size());
    share_out(team, static_cast<Index>(position.size()), [&](Index begin, Index end, int) {
        for (auto v = core::at(begin); v < core::at(end); ++v) {
            std::uint32_t key = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                const double share = (position[v][d] - box.lo[d]) / side;
                key |= spread(std::min(kCells - 1, static_cast<std::uint32_t>(share * kCells))) << d;
            }
            places[v] = {key, static_cast<Vertex>(v)};
        }
    });
    for (int pass = 0; pass < 3; ++pass) {
        std::array<std::size_t, kDigits + 1> starts{};
        auto digit = [&](const Place& place) { return (place.key >> (10 * pass)) & (kDigits - 1); };
        for (const Place& place : places) ++starts[digit(place) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const Place& place : places) sorted[starts[digit(place)]++] = place;
        places.swap(sorted);
    }
    std::transform(places.begin(), places.end(), order.begin(), [](const Place& place) { return place.vertex; });
    return order;
}

}  // namespace mottle::domain
