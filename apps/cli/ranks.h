// apps/cli/ranks.h: the program as one of several that an MPI launcher started
#pragma once
#include "mottle/ranks/backend.h"

#include <functional>

namespace mottle::cli {

/// What every rank but the first does instead of a command: it serves rank 0, speaks only if it fails in the middle of steps, and leaves signals to rank 0.
int serve_as_rank();

/// Runs a command on rank 0, with the others at its service, and ends them with its exit code. Throws: DeviceError, as ranks::join_ranks.
int lead_ranks(const std::function<int(ranks::Link& link)>& command);

}  // namespace mottle::cli
