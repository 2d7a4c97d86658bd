// mottle/backend/cuda/device/launch_parameters.cpp: what a launch gives its kernel, argument by argument
#include "mottle/backend/cuda/device/launch_parameters.h"

#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::backend::cuda {

LoadedText load(Device& device, const ModuleText& text, const std::filesystem::path& cache) {
    LoadedText loaded{device.load(text.text, cache), {}};
    for (const KernelText& kernel : text.kernels) loaded.kernels.push_back({loaded.module->function(kernel.name), kernel.arguments});
    return loaded;
}

std::function<Address(const Argument&)> grid_arrays(std::deque<MirroredArray>* arrays, std::span<const Memory> axes) {
    return [arrays, axes](const Argument& argument) {
        const auto which = core::at(argument.index);
        if (argument.kind == Argument::Kind::axis) return axes[which].address();
        return argument.kind == Argument::Kind::store ? (*arrays)[which].next() : (*arrays)[which].now();
    };
}

LaunchParameters::LaunchParameters(std::span<const Argument> arguments, const LaunchValues& values) : addresses_(arguments.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        using Kind = Argument::Kind;
        const Kind kind = arguments[i].kind;
        parameters_.push_back(kind == Kind::numbers ? values.numbers
                              : kind == Kind::shape ? values.shape
                                                    : Parameter{&addresses_[i], sizeof addresses_[i]});
        if (kind == Kind::numbers || kind == Kind::shape) continue;
        if (kind == Kind::load || kind == Kind::store || kind == Kind::axis) {
            addresses_[i] = values.array(arguments[i]);
            continue;
        }
        const auto found =
            std::find_if(values.others.begin(), values.others.end(), [kind](const auto& other) { return other.first == kind; });
        if (found == values.others.end()) throw core::InternalError("a kernel with an argument that its launch knows nothing of");
        addresses_[i] = found->second;
    }
}

}  // namespace mottle::backend::cuda
