// mottle/backend/cuda/device/compile.h: CUDA text -> cubin by NVRTC, opened at run time, and the cache on disk
#pragma once
#include "mottle/backend/kernel_cache.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mottle::backend::cuda {

/// A compute capability, and what is made for it: machine code (9.0 is sm_90), or PTX, which the driver translates for its card (compute_90).
struct Architecture {
    int major = 9, minor = 0;
    bool machine_code = true;
    std::string name() const { return (machine_code ? "sm_" : "compute_") + std::to_string(major) + std::to_string(minor); }
};

/// What NVRTC makes for a card of this capability: its machine code, or PTX of the newest older one that NVRTC knows.
/// Throws: DeviceError (NVRTC is not here, or knows newer ones only).
Architecture target_for(int major, int minor);

/// What NVRTC made of a text.
struct Compiled {
    std::string cubin;  ///< empty, if the target is PTX
    std::string ptx;
    std::string log;  ///< including the report of ptxas about registers and spills
};
/// Throws: DeviceError (NVRTC is not here, or does not know the architecture), InternalError (the text does not compile; its log).
Compiled compile_text(const std::string& text, const Architecture& architecture);

/// The code that a driver loads, a cubin or PTX, from the cache if it has a valid entry. `cache` empty: no cache.
std::string image_of(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache);
/// The file of the cache entry.
CachedKernel cached_image(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache);

/// The options that fix the arithmetic (docs/numerics.md).
const std::vector<std::string>& compile_options();

/// "NVRTC 13.0". Throws: DeviceError that says what to install.
std::string compiler_version();

}  // namespace mottle::backend::cuda
