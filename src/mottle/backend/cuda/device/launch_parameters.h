// mottle/backend/cuda/device/launch_parameters.h: what a launch gives its kernel, argument by argument
#pragma once
#include "mottle/backend/cuda/device/device.h"
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/backend/cuda/device/memory.h"

#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace mottle::backend::cuda {

/// A text on the device, and its kernels in the order of ModuleText::kernels.
struct LoadedText {
    struct Kernel {
        Function function;
        std::vector<Argument> arguments;
    };
    std::unique_ptr<Module> module;
    std::vector<Kernel> kernels;
};
LoadedText load(Device& device, const ModuleText& text, const std::filesystem::path& cache);

/// What arguments stand for; a kernel takes some of it.
struct LaunchValues {
    Parameter numbers = {}, shape = {};
    std::function<Address(const Argument&)> array = {};           ///< of load, store and axis
    std::vector<std::pair<Argument::Kind, Address>> others = {};  ///< whose index means nothing
};
/// LaunchValues::array of a grid. `axes`: tables of coordinates, by ir::Axis.
std::function<Address(const Argument&)> grid_arrays(std::deque<MirroredArray>* arrays, std::span<const Memory> axes);

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
