// mottle/frame/embree/module.cpp: the factory that the core finds in the ray casting module
#include "mottle/frame/embree/caster.h"

extern "C" mottle::frame::RayCaster* mottle_open_caster(const mottle::frame::Triangles& triangles) {
    return mottle::frame::embree::open_caster(triangles).release();
}

static_assert(std::is_same_v<decltype(&mottle_open_caster), mottle::frame::CasterFactory>);
