// mottle/run/settings/memory.h: refuses a run that this machine's memory cannot hold, before anything is allocated
#pragma once
#include "mottle/core/system_memory.h"
#include "mottle/run/settings/spec.h"

#include <cstddef>
#include <string>

namespace mottle::run {

/// Memory that a process needs beside its states: programs, frames, caches.
inline constexpr double kBytesBeside = 8.0 * 1048576;

/// Bytes that a kernel of `device` needs for a state of `arrays` fields on `domain`. On the CPU narrow rows are filled up to whole vectors and lines of the cache.
double bytes_of_state(const domain::Domain& domain, std::size_t arrays, bool f64, const std::string& device = "auto");

/// The peak memory of a run whose kernel has `arrays` arrays: its state, and the larger of the buffers for the initial state and the copies that outputs hold.
double bytes_of_run(const Spec& spec, std::size_t arrays);

/// Throws: InputError, with the bytes asked for and those available, unless the run fits.
void check_memory(const Spec& spec, std::size_t arrays, double available = static_cast<double>(core::available_memory()));

}  // namespace mottle::run
