// mottle/sweep/common_method.cpp: an order of the methods, and the rates of the start of a run that would have had another
#include "mottle/sweep/common_method.h"

#include "mottle/ir/method.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/start_rates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace mottle::sweep {
namespace {

// What a method is chosen for, the most demanding first: waves that turn, then stiffness.
constexpr std::array<std::string_view, 5> kMethods = {"rk4", "midpoint", "imex2", "rkl2", "sts2"};

std::size_t rank_of(const run::StepLimits& limits) {
    return static_cast<std::size_t>(std::ranges::find(kMethods, limits.method) - kMethods.begin());
}

/// Whether its steps are limited by what its accuracy needs, not by the stability of a table.
bool is_stabilised(const run::StepLimits& limits) { return limits.stages > 0 || limits.method == "imex2"; }

}  // namespace

std::size_t leading_run(const std::vector<run::StepLimits>& limits) {
    const auto before = [](const run::StepLimits& a, const run::StepLimits& b) {
        return std::pair(rank_of(a), a.longest_dt) < std::pair(rank_of(b), b.longest_dt);
    };
    return static_cast<std::size_t>(std::ranges::min_element(limits, before) - limits.begin());
}

double longest_step(const run::Spec& run, const run::StepLimits& alone, const run::StepLimits& leading) {
    if (alone.method == leading.method) return alone.longest_dt;
    if (!is_stabilised(leading)) return ir::kInfinity;
    const std::optional<ir::CellRates> rates = run::rates_of_start(run, run.domain, 0);
    return rates && rates->fastest > 0 ? run::kStepOfRate / rates->fastest : ir::kInfinity;
}

}  // namespace mottle::sweep
