// mottle/core/system_memory.h: how much memory this process may still take
#pragma once
#include <cstddef>

namespace mottle::core {

/// Bytes that this process may still take: what the system calls available, what its control group leaves, and what `ulimit -v` does.
std::size_t available_memory();

}  // namespace mottle::core
