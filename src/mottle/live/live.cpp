// mottle/live/live.cpp: opens the module of the live page
#include "mottle/live/live.h"

#include "mottle/core/dynamic_library.h"

namespace mottle::live {

Serve open_live_module() {
    const core::DynamicLibrary module = core::open_module(
        "mottle_live", "civetweb, nlohmann-json and zlib (Debian, Ubuntu: libcivetweb-dev nlohmann-json3-dev zlib1g-dev)");
    return reinterpret_cast<Serve>(module.symbol(kServe));
}

}  // namespace mottle::live
