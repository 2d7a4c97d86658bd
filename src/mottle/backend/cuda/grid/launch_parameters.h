// mottle/backend/cuda/grid/launch_parameters.h: what a launch on a grid gives its kernel, argument by argument
#pragma once
#include "mottle/backend/cuda/device/device.h"
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/cuda/device/memory.h"

#include <deque>
#include <span>
#include <vector>

namespace mottle::backend::cuda {

/// What arguments stand for; a kernel takes some of it.
struct LaunchValues {
    Parameter numbers = {}, shape = {};
    std::deque<MirroredArray>* arrays = nullptr;
    std::span<const Memory> axes = {};  ///< tables of coordinates, by ir::Axis
    Address table = 0, packets = 0, lost = 0;
};

/// The parameters of one launch, and the addresses that they point to.
class LaunchParameters {
   public:
    LaunchParameters(std::span<const Argument> arguments, const LaunchValues& values);
    LaunchParameters(const LaunchParameters&) = delete;
    LaunchParameters& operator=(const LaunchParameters&) = delete;

    std::span<const Parameter> all() const { return parameters_; }

   private:
    std::vector<Address> addresses_;
    std::vector<Parameter> parameters_;
};

}  // namespace mottle::backend::cuda
