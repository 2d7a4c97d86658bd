// mottle/device/machine_limits.h: the limits of this machine: arithmetic throughput, and copy bandwidth of each cache and of memory
#pragma once
#include "mottle/core/thread_team.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mottle::device {

/// Bytes read plus bytes written per second by std::memcpy between two buffers of each thread.
struct CopyLimit {
    std::string level;      ///< "L1", "L2", "memory": what the buffers are sized for
    std::size_t bytes = 0;  ///< of one buffer
    double one = 0, all = 0;
};

struct MachineLimits {
    std::string isa;  ///< the level that Mottle's kernels use here: "avx512", "avx2", "portable"
    /// f32 operations per second of one thread and of all together; a fused multiply-add on one number is one operation, and so are a product and a
    /// sum where the level has no fused ones. f64: half of it.
    double operations_one = 0, operations_all = 0;
    std::vector<CopyLimit> copies;
};

/// The best of short measurements that take about `seconds` in all.
MachineLimits measure_limits(core::ThreadTeam& team, double seconds);

/// MachineLimits::operations_all as `limits.txt` of the cache folder has it for this CPU and so many threads; nothing if it is not there.
std::optional<double> kept_operations(const std::filesystem::path& cache, int threads);
/// Measures it in about `seconds` and keeps the larger of that and what was there, which it returns. A file that cannot be written is none.
double keep_operations(core::ThreadTeam& team, const std::filesystem::path& cache, double seconds);

}  // namespace mottle::device
