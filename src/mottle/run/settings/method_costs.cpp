// mottle/run/settings/method_costs.cpp: the table of costs
#include "mottle/run/settings/method_costs.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>

namespace mottle::run {
namespace {

/// Sources: docs/notes/methods-and-noise.md, "Methods", for those with a table; docs/performance.md, "Stiff diffusion", and docs/notes/stiff-runs.md for a
/// stage of the others.
struct Row {
    std::string_view method;
    double small_plane, plane, volume, surface;  ///< of a step, or of a stage where their number is free
};
constexpr std::array kCosts = {
    Row{"euler", 1, 1, 1, 1},      Row{"midpoint", 2.9, 2.9, 3.4, 2.1}, Row{"heun", 3, 3.2, 3.2, 2.1},   Row{"rk4", 9.3, 11, 8.2, 4.6},
    Row{"rkl1", 1.5, 2, 2.2, 1.1}, Row{"rkl2", 1.9, 2.6, 2.8, 1.3},     Row{"sts1", 1.1, 1.1, 1.3, 1.1}, Row{"sts2", 1.3, 1.3, 1.5, 1.2},
};
/// docs/notes/stiff.md, "Factors on surfaces": 52 to 183 steps of Euler's method on meshes of 2,930 to 435,545 vertices, 4 to 10 times log2 of their number.
constexpr double kOfFactor = 12;
constexpr core::Index kMostFactored = 2'000'000;
constexpr core::Index kSmallPlane = core::Index{1} << 19;  // cells: beyond, the rows of many stages leave the first cache

}  // namespace

double cost_of_step(const ir::Method& method, const domain::Domain& domain) {
    const auto* const row = std::find_if(kCosts.begin(), kCosts.end(), [&](const Row& known) { return known.method == method.name; });
    if (row == kCosts.end()) throw core::InternalError("nothing is known about the cost of '" + method.name + "'");
    const auto* grid = std::get_if<domain::Grid>(&domain);
    const bool small = domain::cell_count(domain) <= kSmallPlane;
    const double each = !grid ? row->surface : grid->size[2] > 1 ? row->volume : small ? row->small_plane : row->plane;
    return each * ir::kernel_steps_of(method);
}

double cost_of_factored_step(const domain::Domain& domain) {
    const core::Index vertices = domain::cell_count(domain);
    if (std::holds_alternative<domain::Grid>(domain) || vertices > kMostFactored) return std::numeric_limits<double>::infinity();
    return kOfFactor * static_cast<double>(std::bit_width(core::at(vertices)));
}

}  // namespace mottle::run
