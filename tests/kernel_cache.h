// tests/kernel_cache.h: where tests keep the kernels that they compile
#pragma once
#include <cstdlib>
#include <filesystem>

/// The cache folder of a core::Context. A kernel serves many tests, and most of what they take is compiling it: the first of them keeps it, under its text. Another
/// build's tests find it, too, if MOTTLE_TEST_KERNELS names that folder. Tests of the compiler and of the cache itself have folders of their own, or none.
inline std::filesystem::path kernel_cache() {
    const char* shared = std::getenv("MOTTLE_TEST_KERNELS");
    return shared ? shared : MOTTLE_BUILD_DIR "/tests/kernel-cache";
}
