// apps/cli/ranks.h: the program as one of several that an MPI launcher started
#pragma once
#include "mottle/core/context.h"
#include "mottle/ranks/backend.h"
#include "mottle/run/settings/spec.h"

#include <functional>

namespace mottle::cli {

/// What every rank but the first does instead of a command: it serves rank 0, speaks only if it fails in the middle of steps, and leaves signals to rank 0.
int serve_as_rank();

/// Runs a command on rank 0, with the others at its service, and ends them with its exit code. Throws: DeviceError, as ranks::join_ranks.
int lead_ranks(const std::function<int(ranks::Link& link)>& command);

// Of a run on the ranks of `link`, or in this process alone where that is null.

/// What reading its settings must know.
run::Given given_to(ranks::Link* link);
/// How many threads this process takes.
int threads_of(const run::Spec& spec, ranks::Link* link);
/// Says so where `threads` are more than the cores that this process may use: they wait for each other, and a run takes longer.
void tell_many_threads(int threads, core::Observer& observer);
/// Throws: InputError (--devices on the ranks of mpirun).
void require_one_device(const run::Spec& spec, ranks::Link* link);
/// What compiles for all ranks; null for the backend of `spec` alone.
std::unique_ptr<backend::Backend> backend_of(const run::Spec& spec, ranks::Link* link, int threads);

}  // namespace mottle::cli
