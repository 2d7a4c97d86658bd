// mottle/ranks/launcher.cpp: whether an MPI launcher started this process, and the module that joins it to the others
#include "mottle/ranks/launcher.h"

#include "mottle/core/dynamic_library.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <cstdlib>

namespace mottle::ranks {
namespace {

constexpr const char* kPackages = "Open MPI (Debian, Ubuntu: libopenmpi-dev openmpi-bin)";

/// A whole number of the environment, or -1.
int number_of(const char* variable) {
    const char* text = std::getenv(variable);
    long long number = 0;
    return text && core::parse_integer(text, number) && number >= 0 && number < (1 << 30) ? static_cast<int>(number) : -1;
}

core::DynamicLibrary open_mpi() { return core::open_module("mottle_mpi", kPackages); }

}  // namespace

int rank_by_launcher() {
    if (number_of("OMPI_COMM_WORLD_SIZE") > 1) return number_of("OMPI_COMM_WORLD_RANK");
    if (number_of("OMPI_COMM_WORLD_SIZE") < 0 && number_of("PMI_SIZE") > 1) return number_of("PMI_RANK");  // MPICH, Intel MPI
    if (number_of("PMIX_RANK") >= 0 && number_of("SLURM_NTASKS") > 1) return number_of("PMIX_RANK");
    return -1;
}

std::unique_ptr<Transport> join_ranks() {
    if (number_of("OMPI_COMM_WORLD_SIZE") < 0 && number_of("PMIX_RANK") < 0) {
        throw core::DeviceError(std::string("the launcher of another MPI started Mottle, which takes part in runs of ") + kPackages +
                                " alone; start it with the mpirun of Open MPI");
    }
    std::unique_ptr<Transport> joined;
    reinterpret_cast<Join>(open_mpi().symbol(kJoin))(joined);
    return joined;
}

MpiReport look_for_mpi() {
    try {
        return {true, reinterpret_cast<Describe>(open_mpi().symbol(kDescribe))()};
    } catch (const core::DeviceError& error) {
        return {false, error.message()};
    }
}

}  // namespace mottle::ranks
