// mottle/backend/cuda/grid/launch_parameters.cpp: what a launch on a grid gives its kernel, argument by argument
#include "mottle/backend/cuda/grid/launch_parameters.h"

#include "mottle/core/error.h"

namespace mottle::backend::cuda {
namespace {

Address address_of(const Argument& argument, const LaunchValues& values) {
    using Kind = Argument::Kind;
    const auto which = static_cast<std::size_t>(argument.index);
    switch (argument.kind) {
        case Kind::load:
            return (*values.arrays)[which].now();
        case Kind::store:
            return (*values.arrays)[which].next();
        case Kind::axis:
            return values.axes[which].address();
        case Kind::table:
            return values.table;
        case Kind::packets:
            return values.packets;
        case Kind::lost:
            return values.lost;
        default:
            throw core::InternalError("a kernel of grids with an argument of meshes");
    }
}

}  // namespace

LaunchParameters::LaunchParameters(std::span<const Argument> arguments, const LaunchValues& values) : addresses_(arguments.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        using Kind = Argument::Kind;
        if (arguments[i].kind == Kind::numbers) {
            parameters_.push_back(values.numbers);
        } else if (arguments[i].kind == Kind::shape) {
            parameters_.push_back(values.shape);
        } else {
            addresses_[i] = address_of(arguments[i], values);
            parameters_.push_back({&addresses_[i], sizeof addresses_[i]});
        }
    }
}

}  // namespace mottle::backend::cuda
