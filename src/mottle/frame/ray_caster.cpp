// mottle/frame/ray_caster.cpp: opens the ray casting module
#include "mottle/frame/ray_caster.h"

#include "mottle/core/dynamic_library.h"

namespace mottle::frame {

CasterFactory open_caster_module() {
    const core::DynamicLibrary module =
        core::open_module("mottle_embree", "Embree 3 (Debian, Ubuntu: libembree-dev), which draws surfaces");
    return reinterpret_cast<CasterFactory>(module.symbol(kCasterFactory));
}

}  // namespace mottle::frame
