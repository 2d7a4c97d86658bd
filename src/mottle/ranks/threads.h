// mottle/ranks/threads.h: ranks that are threads of one process
#pragma once
#include "mottle/ranks/network.h"
#include "mottle/ranks/transport.h"

#include <memory>
#include <thread>
#include <vector>

namespace mottle::ranks {

/// `count` >= 1 ranks with `cores` cores each, of which all but the first serve (serve.h), each in a thread of its own. Where one of them throws in the middle of steps, the
/// first one's calls throw InternalError with its words. Halos arrive as late as they would over `network`.
class ServingRanks {
   public:
    explicit ServingRanks(int count, int cores = 1, const Network& network = {});
    /// Waits for the others, whom a Link to the first has told to end.
    ~ServingRanks();
    ServingRanks(const ServingRanks&) = delete;
    ServingRanks& operator=(const ServingRanks&) = delete;
    Transport& first() { return *ranks_.front(); }

   private:
    std::vector<std::unique_ptr<Transport>> ranks_;
    std::vector<std::thread> threads_;
};

}  // namespace mottle::ranks
