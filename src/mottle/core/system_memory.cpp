// mottle/core/system_memory.cpp: what the system, a control group and `ulimit -v` leave
#include "mottle/core/system_memory.h"

#include "mottle/core/files.h"
#include "mottle/core/index.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mottle::core {

namespace {

/// The first number in the text of a file after `key`, or nothing.
std::optional<std::size_t> read_number(const char* path, std::string_view key) {
    const std::optional<std::string> text = read_file(path);
    if (!text) return std::nullopt;
    std::size_t at = text->find(key);
    if (at == std::string::npos) return std::nullopt;
    at = text->find_first_of("0123456789", at + key.size());
    if (at == std::string::npos) return std::nullopt;
    std::size_t value = 0;
    std::from_chars(text->data() + at, text->data() + text->size(), value);
    return value;
}

/// What `ulimit -v` leaves.
std::size_t left_of_address_space() {
    constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    const auto pages = read_number("/proc/self/statm", "");
    const std::size_t taken = pages.value_or(0) * core::at(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, taken);
}

}  // namespace

std::size_t available_memory() {
    std::size_t available = std::numeric_limits<std::size_t>::max();
    if (const auto kibibytes = read_number("/proc/meminfo", "MemAvailable:")) available = *kibibytes * 1024;
    const auto limit = read_number("/sys/fs/cgroup/memory.max", "");
    const auto used = read_number("/sys/fs/cgroup/memory.current", "");
    if (limit && used) {
        // Cached files count as used there, but make room when asked to.
        const std::size_t cached = read_number("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
        const std::size_t taken = *used - std::min(*used, cached);
        available = std::min(available, *limit - std::min(*limit, taken));
    }
    return std::min(available, left_of_address_space());
}

std::size_t second_level_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
    return at(std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE)));
#else
    return 0;
#endif
}

}  // namespace mottle::core
