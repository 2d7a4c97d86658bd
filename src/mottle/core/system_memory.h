// mottle/core/system_memory.h: how much memory this process may still take, and the caches of a core
#pragma once
#include <cstddef>

namespace mottle::core {

/// Bytes that this process may still take: what the system calls available, what its control group leaves, and what `ulimit -v` does.
std::size_t available_memory();
/// Bytes of the second-level cache of a core; 0 if the system does not say.
std::size_t second_level_cache();

}  // namespace mottle::core
