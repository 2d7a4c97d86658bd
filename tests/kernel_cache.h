// tests/kernel_cache.h: where tests keep the kernels that they compile
#pragma once
#include <filesystem>

/// The cache folder of a core::Context. A kernel serves many tests, and most of what they take is compiling it: the first of them keeps it, under its text and the
/// build. Tests of the compiler and of the cache itself have folders of their own, or none.
inline std::filesystem::path kernel_cache() { return MOTTLE_BUILD_DIR "/tests/kernel-cache"; }
