// mottle/steady/direct_solver_absent.cpp: what stands in for direct_solver.cpp in a build without Eigen: a message that says what to install
#include "mottle/core/error.h"
#include "mottle/steady/direct_solver.h"

namespace mottle::steady {

std::unique_ptr<DirectSolver> create_direct_solver(std::vector<double>) {
    throw core::DeviceError(
        "this build of Mottle has no Eigen and so no Newton's method; use --until steady=1e-6, or install Eigen (Debian, Ubuntu: "
        "libeigen3-dev) and build again");
}

std::optional<Directions> count_directions(const SparseRows&, std::span<const double>) { return std::nullopt; }

}  // namespace mottle::steady
