// mottle/backend/cuda/compile.h: CUDA text -> cubin by NVRTC, opened at run time, and the cache on disk
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mottle::backend::cuda {

/// A compute capability: 9.0 is sm_90.
struct Architecture {
    int major = 9, minor = 0;
    std::string name() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

/// What NVRTC made of a text.
struct Compiled {
    std::string cubin;
    std::string ptx;
    std::string log;  ///< with the words of ptxas on registers and spills
};
/// Throws: DeviceError (NVRTC is not here, or does not know the architecture), InternalError (the text does not compile; its log).
Compiled compile_text(const std::string& text, const Architecture& architecture);

/// The cubin alone, from the cache if a sound entry is there. `cache` empty: no cache.
std::string cubin_of(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache);
/// The file that holds it.
std::filesystem::path cubin_path(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache);
void forget_cubin(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache);

/// The options that fix the arithmetic (docs/numerics.md).
const std::vector<std::string>& compile_options();

/// "NVRTC 13.0". Throws: DeviceError that says what to install.
std::string compiler_version();

}  // namespace mottle::backend::cuda
