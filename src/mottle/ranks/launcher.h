// mottle/ranks/launcher.h: whether an MPI launcher started this process, and the module that joins it to the others
#pragma once
#include "mottle/ranks/transport.h"

#include <memory>

namespace mottle::ranks {

/// The rank that an MPI launcher gave this process, if it started several; else -1. Looks at the environment alone.
int rank_by_launcher();

/// Joins the other processes: opens lib/mottle/mottle_mpi.so. The ranks end together when the last one has destroyed it.
/// Throws: DeviceError (no module, the launcher of another MPI, MPI without support of threads, another build of Mottle on some rank).
std::unique_ptr<Transport> join_ranks();

/// "Open MPI 4.1.4", if the module is there and can be opened; else what is missing.
struct MpiReport {
    bool available = false;
    std::string description;
};
MpiReport look_for_mpi();

// The symbols of the module.
using Join = void (*)(std::unique_ptr<Transport>& joined);
using Describe = const char* (*)();
inline constexpr const char *kJoin = "mottle_join_ranks", *kDescribe = "mottle_describe_mpi";

}  // namespace mottle::ranks
