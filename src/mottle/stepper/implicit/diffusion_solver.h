// mottle/stepper/implicit/diffusion_solver.h: solves (1 - k lap) f' = f for one field on a grid or a mesh, with a factor that is kept while k stays
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/domain.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mottle::stepper {

/// The two ghosts of an axis as numbers: what lies beyond is alpha + beta times the cell at the border.
struct AxisEnds {
    bool wraps = false;
    std::array<double, 2> alpha{}, beta{1, 1};
};

class DiffusionSolver {
   public:
    virtual ~DiffusionSolver() = default;
    /// Makes ready for `k` >= 0 (dt times the diffusion; units: length^2) and these ends of the axes x, y, z; nothing happens where the matrix is that of the
    /// call before. Throws: InputError (a matrix that cannot be factored).
    virtual void factor(double k, const std::array<AxisEnds, 3>& ends) = 0;
    /// A solution takes so many passes, each of which begins when all workers have ended the one before.
    virtual int passes() const = 0;
    /// Worker `part` of `parts` does its share of a pass. The first pass asks for the rows of its share alone (core::share_of), and the bits do not depend on `parts`.
    /// Shape: one entry per cell, in the order of Field::values.
    virtual void run(int pass, std::span<double> cells, core::Index part, core::Index parts) = 0;
};

/// The solver of this domain: one of the two below. Throws: DeviceError (this build has none for surfaces).
std::unique_ptr<DiffusionSolver> create_solver(const domain::Domain& domain, const std::string& field);
/// The ghosts of a field as numbers.
std::array<AxisEnds, 3> ends_of(const ir::GhostRule& rule, std::span<const double> uniforms);
/// dt times the diffusion of a field. Throws: InputError (below 0 or no number).
double diffusion_of(const ir::Program& program, const ir::ImplicitDiffusion& what, std::span<const double> uniforms);
/// As kernels clamp: NaN stays.
inline double clamped(double cell, const std::array<double, 2>& range) {
    return cell < range[0] ? range[0] : cell > range[1] ? range[1] : cell;
}
/// What becomes of a cell at the end of a step whose last part no kernel makes: clamped, and tiny values flushed.
inline double end_of_step(double cell, const std::optional<std::array<double, 2>>& clamp) {
    if (clamp) cell = clamped(cell, *clamp);
    return std::abs(cell) < ir::kFlushBelow ? 0 : cell;
}

/// On a grid line by line, x first: (1 - k dxx)(1 - k dyy)(1 - k dzz) in place of 1 - k lap, which differ by k^2.
/// Source: Yanenko 1971, The Method of Fractional Steps (locally one-dimensional); Thomas's algorithm,
/// pivots without subtractions as in Grassmann, Taksar and Heyman, Oper. Res. 33 (1985) 1107.
std::unique_ptr<DiffusionSolver> create_line_solver(const domain::Grid& grid);

/// On a mesh (M + k L) f' = M f, L the cotangent stiffness and M the lumped mass, by a sparse LDL' factor. Throws: DeviceError (this build has no Eigen).
std::unique_ptr<DiffusionSolver> create_mesh_solver(const domain::Mesh& mesh, std::string field);

}  // namespace mottle::stepper
