// mottle/run/tune/trial_schedules.h: the schedules that a search for the fastest one tries
#pragma once
#include "mottle/backend/schedule.h"

#include <vector>

namespace mottle::run {

/// Schedules of the family of `chosen`, beside `chosen` itself, which the cost model has taken for the domain. Those near it come first, since time or
/// memory may end a search early.
std::vector<backend::Schedule> trial_schedules(const backend::Schedule& chosen, const domain::Domain& domain, int threads);

}  // namespace mottle::run
