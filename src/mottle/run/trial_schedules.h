// mottle/run/trial_schedules.h: the schedules that a search for the fastest one tries
#pragma once
#include "mottle/backend/schedule.h"

#include <string>
#include <vector>

namespace mottle::run {

/// Schedules for a device, the name of a backend, beside `chosen`, which its cost model has taken for the domain. Those near it come first, since time or
/// memory may end a search early.
std::vector<backend::Schedule> trial_schedules(const backend::Schedule& chosen, const domain::Domain& domain, const std::string& device,
                                               int threads);

}  // namespace mottle::run
