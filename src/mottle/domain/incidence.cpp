// mottle/domain/incidence.cpp: corners by vertex, and the one-ring of a vertex
#include "mottle/domain/incidence.h"

#include <algorithm>

namespace mottle::domain {

namespace {

constexpr std::size_t kFewSpokes = 32;  // up to here insertion is the fastest sort

}  // namespace

Incidence incidence_of(std::span<const Triangle> faces, std::size_t vertices) {
    Incidence incidence;
    incidence.first.assign(vertices + 2, 0);
    for (const Triangle& face : faces) {
        for (Vertex v : face) ++incidence.first[static_cast<std::size_t>(v) + 2];
    }
    for (std::size_t v = 2; v < incidence.first.size(); ++v) incidence.first[v] += incidence.first[v - 1];
    incidence.corners.resize(3 * faces.size());
    Corner corner = 0;
    for (const Triangle& face : faces) {
        for (Vertex v : face) incidence.corners[incidence.first[static_cast<std::size_t>(v) + 1]++] = corner++;
    }
    incidence.first.pop_back();
    return incidence;
}

void spokes_of(std::span<const Triangle> faces, std::span<const Corner> corners, std::vector<Spoke>& spokes) {
    spokes.clear();
    for (const Corner corner : corners) {
        const Triangle& face = faces[corner / 3];
        const Corner place = corner % 3;
        spokes.push_back({face[(place + 1) % 3], true, corner});
        spokes.push_back({face[(place + 2) % 3], false, corner});
    }
    auto before = [](const Spoke& a, const Spoke& b) { return a.neighbour < b.neighbour; };
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
    team.run([&](int worker) { work(count * worker / workers, count * (worker + 1) / workers, worker); });
}

}  // namespace mottle::domain
