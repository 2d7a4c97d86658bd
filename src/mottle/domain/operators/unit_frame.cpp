// mottle/domain/operators/unit_frame.cpp: scales positions by a power of two, so that no digit is lost, and moves them to their centroid
#include "mottle/domain/operators/unit_frame.h"

#include "mottle/domain/mesh/incidence.h"

#include <algorithm>
#include <cmath>

namespace mottle::domain {

namespace {

using core::at;

}  // namespace

UnitFrame unit_frame(const Surface& surface, core::ThreadTeam& team) {
    UnitFrame frame;
    const Box box = bounds(surface.position);
    double longest = 0;
    for (std::size_t d = 0; d < 3; ++d) longest = std::max(longest, 0.5 * box.hi[d] - 0.5 * box.lo[d]);
    int exponent = 0;
    std::frexp(longest, &exponent);
    ++exponent;
    frame.length = std::ldexp(1.0, exponent);
    auto scaled = [&](double x) { return std::ldexp(x, -exponent); };
    Point centroid{};
    auto add = [&](const Point& p) {
        for (std::size_t d = 0; d < 3; ++d) centroid[d] += scaled(p[d]);
    };
    if (surface.keeps_order()) {
        for (const Point& p : surface.position) add(p);
    } else {  // in the order of the file: the same bits
        for (const Vertex v : surface.in_file_order()) add(surface.position[at(v)]);
    }
    for (double& x : centroid) x /= static_cast<double>(surface.position.size());
    frame.position.resize(surface.position.size());
    share_out(team, static_cast<Index>(frame.position.size()), [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            for (std::size_t d = 0; d < 3; ++d) frame.position[at(i)][d] = scaled(surface.position[at(i)][d]) - centroid[d];
        }
    });
    return frame;
}

}  // namespace mottle::domain
