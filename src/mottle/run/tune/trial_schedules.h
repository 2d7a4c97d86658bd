// mottle/run/tune/trial_schedules.h: the schedules that a search for the fastest one tries
#pragma once
#include "mottle/backend/schedule.h"

#include <vector>

namespace mottle::run {

/// Schedules for the CPU or for a card, beside `chosen`, which its cost model has taken for the domain. Those near it come first, since time or
/// memory may end a search early.
std::vector<backend::Schedule> trial_schedules(const backend::Schedule& chosen, const domain::Domain& domain, bool card, int threads);

}  // namespace mottle::run
