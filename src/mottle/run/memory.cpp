// mottle/run/memory.cpp: what a run takes, and what the system has left
#include "mottle/run/memory.h"

#include "mottle/backend/cpu/isa.h"
#include "mottle/backend/cpu/row_layout.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/core/thread_team.h"
#include "mottle/output/file_name.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace mottle::run {

namespace {

constexpr double kCopies = 1.2;      // fields and the buffers of the kernels, docs/performance.md
constexpr double kLine = 64;         // bytes: rows begin at lines of the cache
constexpr double kPointers = 16;     // of a row, in a vector that grows by doubling
constexpr double kRowsOfStart = 24;  // f64: the values of a row, what they are drawn from, and a table of coordinates

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

/// What `ulimit -v` leaves.
std::size_t left_of_address_space() {
    constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    const auto pages = read_number("/proc/self/statm", "");
    const std::size_t taken = pages.value_or(0) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, taken);
}

/// The most states that an output holds at once: numbers as they are, and files of ParaView and the like while their parts are put together.
double states_held(const output::FileName& name) {
    if (name.kind() == output::FileName::Kind::npy) return 1;
    return name.data() ? 3 : 0;
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

double bytes_of_state(const domain::Domain& domain, std::size_t arrays, bool f64) {
    const double scalar = f64 ? sizeof(double) : sizeof(float), fields = static_cast<double>(arrays);
    const double dense = kCopies * scalar * fields * static_cast<double>(domain::row_length(domain));
    double row = dense;
    if (std::holds_alternative<domain::Grid>(domain)) {
        const backend::cpu::RowLayout layout(domain::row_length(domain), backend::cpu::host_isa().register_bytes / (f64 ? 8 : 4),
                                             f64 ? 8 : 4);
        row = std::ceil(fields * static_cast<double>(layout.array_pitch()) / kLine) * kLine + kPointers;
    }
    return std::max(dense, row) * static_cast<double>(domain::row_count(domain));
}

double bytes_of_run(const Spec& spec, std::size_t arrays) {
    const bool f64 = spec.method.f64;
    const auto rows = static_cast<double>(domain::row_count(spec.domain));
    const double threads = spec.threads > 0 ? spec.threads : core::available_cores();
    const double start = std::min(threads, rows) * static_cast<double>(domain::row_length(spec.domain)) * (kRowsOfStart + (f64 ? 8 : 4));
    const double states =
        static_cast<double>(domain::cell_count(spec.domain)) * static_cast<double>(spec.model.equations.size()) * (f64 ? 8 : 4);
    double held = spec.checkpoint.empty() && spec.resume.empty() ? 0 : 1;
    for (const Output& output : spec.outputs) {
        if (!output.make) held += states_held(output::FileName(output.sink.file));
    }
    const double remembered = spec.steady ? states : 0;  // one step before a test for rest
    return bytes_of_state(spec.domain, arrays, f64) + remembered + std::max(start, held * states) + kBytesBeside;
}

void check_memory(const Spec& spec, std::size_t arrays, double available) {
    const double bytes = bytes_of_run(spec, arrays);
    if (bytes <= available) return;
    const bool f64 = spec.method.f64;
    throw core::InputError("a run on a " + domain::describe(spec.domain) + " with " + std::to_string(arrays) +
                           (arrays == 1 ? " array" : " arrays") + " of " + (f64 ? "f64" : "f32") + " needs " + core::si_text(bytes, "B") +
                           " of memory, " + core::si_text(available, "B") + " are available; use a smaller " +
                           (std::holds_alternative<domain::Mesh>(spec.domain) ? "mesh" : "--size") + (f64 ? " or --precision f32" : ""));
}

}  // namespace mottle::run
