// mottle/run/memory.h: refuses a run that this machine's memory cannot hold, before anything is allocated
#pragma once
#include "mottle/domain/domain.h"

#include <cstddef>

namespace mottle::run {

/// Bytes that this process may still take: what the system calls available, and what its control group leaves.
std::size_t available_memory();

/// What `arrays` fields of `domain` take, and a run beside them.
double bytes_of_fields(const domain::Domain& domain, std::size_t arrays, bool f64);

/// Throws: InputError, with the bytes asked for and those available, unless `arrays` fields of `domain` fit.
void check_memory(const domain::Domain& domain, std::size_t arrays, bool f64);

}  // namespace mottle::run
