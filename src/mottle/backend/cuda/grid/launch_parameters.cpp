// mottle/backend/cuda/grid/launch_parameters.cpp: what a launch on a grid gives its kernel, argument by argument
#include "mottle/backend/cuda/grid/launch_parameters.h"

#include "mottle/core/error.h"

namespace mottle::backend::cuda {
namespace {

Address address_of(const Argument& argument, const LaunchValues& values) {
    using Kind = Argument::Kind;
    const auto which = core::at(argument.index);
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
        case Kind::numbers:  // no memory of the device
        case Kind::shape:
        case Kind::states:  // of meshes
        case Kind::next_states:
        case Kind::slices:
        case Kind::valences:
        case Kind::neighbours:
        case Kind::weights:
        case Kind::patches:
        case Kind::ghosts:
            break;
    }
    throw core::InternalError("a kernel of grids with an argument that has no address there");
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
