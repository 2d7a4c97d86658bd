// mottle/steady/newton.h: steady states by Newton's method, reached through implicit steps that become longer as the rates fall
#pragma once
#include "mottle/steady/direct_solver.h"

#include <functional>
#include <string>
#include <vector>

namespace mottle::steady {

/// Of the largest field: root mean square of its rate by that of its values at the beginning, or by 1 where these are 0. Units: 1/time.
inline constexpr double kResidual = 1e-10;

struct Search {
    bool found = false;
    std::string why;      ///< of one that found nothing
    double residual = 0;  ///< as kResidual
    double rounding = 0;  ///< what rounding makes of it: below four times this, iterations change nothing
    int iterations = 0;   ///< steps that were taken
    int rejected = 0;     ///< steps that were tried again with a shorter length
    int factors = 0;      ///< factorisations of matrices, for both
    double moved =
        0;  ///< of the largest field: root mean square distance from the beginning, by its standard deviation there, which counts as a thousandth of its values at least
    int conserved = 0;  ///< sums of fields over all cells that the equations keep, and the search with them
    Index unknowns = 0;
    std::optional<Directions> directions;  ///< at the end
};

/// Replaces `y` by a state with F(y) = 0 near it. Each iteration is an implicit step of length h, by corrections with a factor of 1/h - dF/dy, and with a
/// new one where they do not converge; h grows, and most where the residual falls fast (pseudo-transient continuation): where rates are large it follows the equations, where they vanish it is Newton's
/// method. h ends at 1e12 by the norm of dF/dy, so that directions in which nothing happens (a pattern on a periodic plane may be moved) take no part, as
/// in a minimum-norm step. Sums that the equations conserve are found as rows of zeros in the Jacobian and are kept by bordering.
/// `weights`: the measures of cells, by unknown. Shape: one entry of y and weights per unknown, in the order of Rates.
/// Where nothing is found y is what it was. Throws: Interrupted, DeviceError (no Eigen).
/// Source: Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508.
Search find_steady_state(Rates& rates, std::span<double> y, const std::vector<double>& weights);

}  // namespace mottle::steady
