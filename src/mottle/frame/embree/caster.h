// mottle/frame/embree/caster.h: ray casting through Intel's Embree
#pragma once
#include "mottle/frame/ray_caster.h"

namespace mottle::frame::embree {

/// Throws: DeviceError (Embree refuses this machine, out of memory).
std::unique_ptr<RayCaster> open_caster(const Triangles& triangles);

}  // namespace mottle::frame::embree
