// mottle/core/cache_folder.cpp: asks the environment where caches belong
#include "mottle/core/cache_folder.h"

#include <cstdlib>

namespace mottle::core {

std::filesystem::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') return std::filesystem::path(cache) / "mottle";
    const char* home = std::getenv("HOME");
    return home && *home ? std::filesystem::path(home) / ".cache" / "mottle" : std::filesystem::path();
}

}  // namespace mottle::core
