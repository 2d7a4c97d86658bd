// mottle/ranks/threads.h: ranks that are threads of one process
#pragma once
#include "mottle/ranks/network.h"
#include "mottle/ranks/transport.h"

#include <memory>
#include <vector>

namespace mottle::ranks {

/// `count` >= 1 ranks with `cores` cores each. Each of them is for one thread at a time; destroyed when all have ended. Halos arrive as late as
/// they would over `network`.
std::vector<std::unique_ptr<Transport>> create_thread_ranks(int count, int cores, const Network& network = {});

}  // namespace mottle::ranks
