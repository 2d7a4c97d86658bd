// mottle/run/memory.cpp: asks Linux how much memory is left
#include "mottle/run/memory.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace mottle::run {

namespace {

constexpr double kCopies = 1.2;           // fields and the buffers of the kernels, docs/performance.md
constexpr double kFixed = 8.0 * 1048576;  // programs, frames, caches

/// The first number in the text of a file after `key`, or nothing.
std::optional<std::size_t> read_number(const char* path, std::string_view key) {
    const std::optional<std::string> text = core::read_file(path);
    if (!text) return std::nullopt;
    std::size_t at = text->find(key);
    if (at == std::string::npos) return std::nullopt;
    at = text->find_first_of("0123456789", at + key.size());
    if (at == std::string::npos) return std::nullopt;
    std::size_t value = 0;
    std::from_chars(text->data() + at, text->data() + text->size(), value);
    return value;
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
    return available;
}

double bytes_of_fields(const domain::Domain& domain, std::size_t arrays, bool f64) {
    return static_cast<double>(domain::cell_count(domain)) * static_cast<double>(arrays) * (f64 ? 8 : 4) * kCopies + kFixed;
}

void check_memory(const domain::Domain& domain, std::size_t arrays, bool f64) {
    const double bytes = bytes_of_fields(domain, arrays, f64);
    const double available = static_cast<double>(available_memory());
    if (bytes > available) {
        throw core::InputError("a " + domain::describe(domain) + " with " + std::to_string(arrays) + (arrays == 1 ? " array" : " arrays") +
                               " of " + (f64 ? "f64" : "f32") + " needs " + core::si_text(bytes, "B") + " of memory, " +
                               core::si_text(available, "B") + " are available; use a smaller " +
                               (std::holds_alternative<domain::Mesh>(domain) ? "mesh" : "--size") + (f64 ? " or --precision f32" : ""));
    }
}

}  // namespace mottle::run
