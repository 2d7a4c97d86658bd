// mottle/ranks/mpi/transport.h: ranks that are processes, by MPI
#pragma once
#include "mottle/ranks/transport.h"

#include <memory>

namespace mottle::ranks {

/// Initialises MPI; destroying the result finalises it. Throws: DeviceError, as join_ranks.
std::unique_ptr<Transport> create_mpi_rank();

/// "Open MPI 4.1.4"
const char* describe_mpi();

}  // namespace mottle::ranks
