// mottle/backend/cuda/read_out/statistics.h: ranges and exact sums of arrays that lie on the device: the bits of backend/reduce.h
#pragma once
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/reduce.h"

#include <filesystem>
#include <memory>
#include <span>

namespace mottle::backend::cuda {

/// Where cells lie: cell x of row y at y * pitch + x * stride.
struct DeviceCells {
    Address first = 0;
    Index rows = 0, length = 0, pitch = 0, stride = 1;
    Address order = 0;    ///< the index of the cell of each place, 32 bits; 0: as they lie
    Address weights = 0;  ///< of the cell of each place, f64; 0: all 1
};

class DeviceStatistics {
   public:
    DeviceStatistics(std::shared_ptr<Device> device, bool f64, std::filesystem::path cache);

    Range range(const DeviceCells& cells);
    /// `weights`: the weights that are on the device, in any order; empty: all 1.
    double sum(const DeviceCells& cells, std::span<const double> weights);
    Statistics statistics(const DeviceCells& cells, std::span<const double> weights);

   private:
    template <class Real>
    Range range_of(const DeviceCells& cells);
    /// Adds the terms that the rule defines for every cell.
    void add(const DeviceCells& cells, double mean, bool squares, ExactSum& sum);
    /// Blocks of a launch over the cells; makes room for a partial result of `bytes` per warp.
    Index blocks_for(const DeviceCells& cells, std::size_t bytes);

    std::shared_ptr<Device> device_;
    bool f64_;
    std::filesystem::path cache_;
    LoadedText text_;  ///< loaded when it is first asked for
    Memory partials_;
};

}  // namespace mottle::backend::cuda
