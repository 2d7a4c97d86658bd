// mottle/steady/direct_solver.h: sparse direct solutions with a Jacobian, and how many directions grow by it
#pragma once
#include "mottle/steady/jacobian.h"

#include <memory>
#include <optional>
#include <span>

namespace mottle::steady {

/// Solves (shift - J) x = b.
class DirectSolver {
   public:
    virtual ~DirectSolver() = default;
    /// False where the matrix is singular.
    virtual bool factor(const SparseRows& jacobian, double shift) = 0;
    /// Replaces b by x. Shape: one entry per unknown.
    virtual void solve(std::span<double> b) const = 0;
};

/// `weights`: of the unknowns, the measures of their cells. Where they make J symmetric the factor is LDL', else LU with partial pivoting, both in one order of
/// operations on every machine. Throws: DeviceError (this build has no Eigen).
std::unique_ptr<DirectSolver> create_direct_solver(std::vector<double> weights);

/// Eigenvalues of a Jacobian by their real parts.
struct Directions {
    Index growing = 0;  ///< above the margin
    Index neutral = 0;  ///< within it
    /// Units: 1/time. Differences of rounded rates tell nothing below it.
    double margin = 0;
};
inline constexpr Index kMostDense = 1024;

/// Of a Jacobian that the weights make symmetric: by the signs of D in LDL' (Sylvester's law of inertia). Of any other: all eigenvalues by QR, nothing where it has
/// more than kMostDense rows. Throws: as create_direct_solver.
std::optional<Directions> count_directions(const SparseRows& jacobian, std::span<const double> weights);

}  // namespace mottle::steady
