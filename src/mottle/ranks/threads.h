// mottle/ranks/threads.h: ranks that are threads of one process
#pragma once
#include "mottle/ranks/transport.h"

#include <limits>
#include <memory>
#include <vector>

namespace mottle::ranks {

/// What a network takes for a message: `latency` seconds, and its bytes one after another where they leave a rank.
struct Network {
    double latency = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();
};

/// `count` >= 1 ranks with `cores` cores each. Each of them is for one thread at a time; destroyed when all have ended. Halos arrive as late as
/// they would over `network`.
std::vector<std::unique_ptr<Transport>> create_thread_ranks(int count, int cores, const Network& network = {});

}  // namespace mottle::ranks
