// mottle/backend/cuda/device/recordings.h: launches that repeat are recorded the second time, and from then on replayed as one
#pragma once
#include "mottle/backend/cuda/device/memory.h"
#include "mottle/backend/cuda/grid/passes.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace mottle::backend::cuda {

/// The recordings of one kernel.
class Recordings {
   public:
    using Action = std::function<void(const Pass&)>;

    explicit Recordings(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    /// Makes `passes` by `run`, which launches one and flips what it has written. `flip` does the latter alone: a recording that is made again
    /// replays the launches of `run`. `arrays`: all that the launches read and write. Nothing is recorded if uniforms depend on t, or if there are so
    /// many `cells` that the cost of a launch is negligible.
    void make(const ir::Program& program, Index cells, std::span<const Pass> passes, const UniformTable& uniforms,
              const std::deque<MirroredArray>& arrays, const Action& run, const Action& flip);

   private:
    void make_group(const std::string& key, std::span<const Pass> passes, const Action& run, const Action& flip);

    std::shared_ptr<Device> device_;
    std::map<std::string, std::unique_ptr<Recording>> recordings_;  ///< by all that the launches depend on; null: seen once
};

}  // namespace mottle::backend::cuda
