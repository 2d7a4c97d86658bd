// mottle/domain/mesh/incidence.cpp: corners by vertex, and the one-ring of a vertex
#include "mottle/domain/mesh/incidence.h"

#include "mottle/core/large_array.h"

#include <algorithm>

namespace mottle::domain {

namespace {

constexpr std::size_t kFewSpokes = 32;  // up to here insertion is the fastest sort

}  // namespace

// Every worker goes through all faces and keeps the corners of its own vertices: faces come in ascending order, whatever the number of workers.
Incidence incidence_of(std::span<const Triangle> faces, std::size_t vertices, core::ThreadTeam& team) {
    Incidence incidence;
    incidence.first.assign(vertices + 1, 0);
    incidence.corners = core::uninitialised<Corner>(3 * faces.size());
    std::vector<std::uint32_t> total(core::at(team.size()) + 1);
    share_out(team, static_cast<Index>(vertices), [&](Index begin, Index end, int worker) {
        const auto mine = [begin, end](Vertex v) { return v >= begin && v < end; };
        std::uint32_t* const place =
            incidence.first.data() + 1;  // of the next corner of each vertex; at the end, where those of the next one start
        for (const Triangle& face : faces) {
            for (const Vertex v : face) {
                if (mine(v)) ++place[v];
            }
        }
        std::uint32_t sum = 0;
        for (Index v = begin; v < end; ++v) sum += place[v];
        total[core::at(worker) + 1] = sum;
        team.barrier();
        std::uint32_t start = 0;
        for (int w = 0; w <= worker; ++w) start += total[core::at(w)];
        for (Index v = begin; v < end; ++v) {
            const std::uint32_t count = place[v];
            place[v] = start;
            start += count;
        }
        std::uint32_t corner = 0;
        for (const auto& [a, b, c] : faces) {
            if (mine(a)) incidence.corners[place[a]++] = {corner, b, c};
            if (mine(b)) incidence.corners[place[b]++] = {corner + 1, c, a};
            if (mine(c)) incidence.corners[place[c]++] = {corner + 2, a, b};
            corner += 3;
        }
    });
    return incidence;
}

void spokes_of(std::span<const Corner> corners, std::span<const Vertex> original, std::vector<Spoke>& spokes) {
    spokes.clear();
    for (std::uint32_t c = 0; c < corners.size(); ++c) {
        const auto [place, next, previous] = corners[c];
        spokes.push_back({next, original[core::at(next)], true, c});
        spokes.push_back({previous, original[core::at(previous)], false, c});
    }
    auto before = [](const Spoke& a, const Spoke& b) { return a.original < b.original; };
    if (spokes.size() > kFewSpokes) {
        std::stable_sort(spokes.begin(), spokes.end(), before);
        return;
    }
    for (std::size_t i = 1; i < spokes.size(); ++i) {
        const Spoke spoke = spokes[i];
        std::size_t j = i;
        for (; j > 0 && before(spoke, spokes[j - 1]); --j) spokes[j] = spokes[j - 1];
        spokes[j] = spoke;
    }
}

void share_out(core::ThreadTeam& team, Index count, const std::function<void(Index begin, Index end, int worker)>& work) {
    const int workers = team.size();
    team.run([&](int worker) {
        const auto [begin, end] = core::share_of(count, worker, workers);
        work(begin, end, worker);
    });
}

}  // namespace mottle::domain
