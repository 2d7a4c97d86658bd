// mottle/ranks/mpi/module.cpp: what the library calls in this module
#include "mottle/ranks/launcher.h"
#include "mottle/ranks/mpi/transport.h"

extern "C" __attribute__((visibility("default"))) void mottle_join_ranks(std::unique_ptr<mottle::ranks::Transport>& joined) {
    joined = mottle::ranks::create_mpi_rank();
}

extern "C" __attribute__((visibility("default"))) const char* mottle_describe_mpi() { return mottle::ranks::describe_mpi(); }
