// mottle/stepper/implicit/mesh_solver_absent.cpp: what stands in for mesh_solver.cpp in a build without Eigen: a message that says what to install
#include "mottle/core/error.h"
#include "mottle/stepper/implicit/diffusion_solver.h"

namespace mottle::stepper {

std::unique_ptr<DiffusionSolver> create_mesh_solver(const domain::Mesh&, std::string) {
    throw core::DeviceError(
        "this build of Mottle has no Eigen and so cannot solve for diffusion on a surface; use --method rkl1, or install Eigen (Debian, "
        "Ubuntu: "
        "libeigen3-dev) and build again");
}

}  // namespace mottle::stepper
