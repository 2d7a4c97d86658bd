// mottle/core/cache_folder.h: where compiled kernels and tuned schedules are kept
#pragma once
#include <filesystem>

namespace mottle::core {

/// $XDG_CACHE_HOME/mottle, else ~/.cache/mottle, else no path at all.
std::filesystem::path cache_folder();

}  // namespace mottle::core
