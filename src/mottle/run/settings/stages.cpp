// mottle/run/settings/stages.cpp: how many stages a step of a Runge-Kutta-Legendre method has
#include "mottle/run/settings/stages.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {
namespace {

ir::StableStep limits_of(const Spec& spec, const ir::System& system, int stages) {
    ir::Method method = spec.method;
    method.stages = stages;
    return ir::stable_step(system, method, spec.domain);
}

}  // namespace

int stages_for(const Spec& spec, const ir::System& system, double dt) {
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    const int fewest = scheme.fewest_stages(), most = scheme.most_stages();
    const auto suffices = [&](int stages) { return dt <= kShareOfLimit * limits_of(spec, system, stages).limit; };
    const double of_fewest = kShareOfLimit * limits_of(spec, system, fewest).limit;
    if (dt <= of_fewest) return fewest;
    // what only decays asks for dt/of_fewest times the interval of the fewest
    ir::Method method = spec.method;
    const auto interval = [&](int stages) {
        method.stages = stages;
        return ir::StabilityPolynomial(method).longest_step(1);
    };
    const double wanted = dt / of_fewest * interval(fewest);
    const int guess = static_cast<int>(std::clamp(std::sqrt((scheme.legendre()->order == 1 ? 1 : 2) * wanted), fewest + 1.0, most - 1.0));
    int enough = guess;
    while (enough > fewest + 1 && interval(enough - 1) >= wanted) --enough;
    while (enough < most && interval(enough) < wanted) ++enough;
    if (suffices(enough)) {
        while (enough > fewest + 1 && suffices(enough - 1)) --enough;
        return enough;
    }
    int below = enough;
    enough = std::min(2 * enough, most);
    while (enough < most && !suffices(enough)) {
        below = enough;
        enough *= 2;
    }
    enough = std::min(enough, most);
    while (enough - below > 1) {
        const int middle = (below + enough) / 2;
        (suffices(middle) ? enough : below) = middle;
    }
    return enough;
}

ir::StableStep settle_stages(Spec& spec, const ir::System& system) {
    if (spec.stages > 0) {
        spec.method.stages = spec.stages;
        return limits_of(spec, system, spec.stages);
    }
    const bool given = spec.dt && !spec.dt_is_advice;
    double dt = given ? *spec.dt : 0;
    if (!given) {
        const ir::StableStep one = limits_of(spec, system, ir::scheme_of(spec.method).fewest_stages());
        dt = std::isfinite(spec.longest_dt) ? spec.longest_dt : std::isfinite(one.accurate) ? one.accurate : 0;
    }
    spec.method.stages = stages_for(spec, system, dt);
    ir::StableStep limits = limits_of(spec, system, spec.method.stages);
    if (std::isfinite(spec.longest_dt)) limits.accurate = spec.longest_dt;
    if (given && dt > limits.limit) {
        throw core::InputError("no number of stages of " + spec.method.name + " up to " +
                               core::number_text(ir::scheme_of(spec.method).most_stages()) + " is stable with dt " + core::number_text(dt) +
                               ": " + limits.reason + "; " +
                               (limits.limit > 0 ? "--stages n with a shorter --dt, or leave --dt out" : "use --method rk4"));
    }
    return limits;
}

void choose_stages(Spec& spec, Clock& clock) {
    if (!ir::scheme_of(spec.method).legendre() || spec.stages > 0) return;
    spec.method.stages = clock.stages = stages_for(spec, ir::build(spec.model), clock.dt);
}

bool halve(Spec& spec, Clock& clock) {
    if (!halve(clock)) return false;
    choose_stages(spec, clock);
    return true;
}

void halve_to(Spec& spec, Clock& clock, double dt) {
    Clock shorter = clock;
    while (shorter.automatic && shorter.dt > dt && halve(shorter)) {
    }
    if (shorter.dt != dt || shorter.halvings == clock.halvings) return;
    clock = std::move(shorter);
    choose_stages(spec, clock);
}

}  // namespace mottle::run
