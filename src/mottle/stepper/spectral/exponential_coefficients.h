// mottle/stepper/spectral/exponential_coefficients.h: what a step of ETDRK4 multiplies waves and their rates by
#pragma once
#include "mottle/core/index.h"

#include <array>
#include <span>
#include <vector>

namespace mottle::stepper {

/// For waves w' = L w + N(w) a step of length h makes, of z = h L,
///     a = half w + reach N(w),  b = half w + reach N(a),  c = half a + reach (2 N(b) - N(w)),
///     w' = whole w + first N(w) + middle (N(a) + N(b)) + last N(c).
/// Source: Cox & Matthews 2002, J. Comput. Phys. 176, 430.
enum class EtdCoefficient { half, reach, whole, first, middle, last };
inline constexpr std::size_t kEtdCoefficients = 6;

/// A table for each coefficient, one entry for each wave.
class EtdTables {
   public:
    /// Shape: `z` has an entry for each wave; `padding` entries of 0 follow in the tables.
    /// Without cancellation: phi_3(z) = sum of z^j/(j + 3)! where |z| < 1 and phi_k = z phi_(k+1) + 1/k!, else phi_(k+1) = (phi_k - 1/k!)/z from exp(z).
    void fill(std::span<const double> z, double h, core::Index padding);
    const double* of(EtdCoefficient which) const { return tables_[static_cast<std::size_t>(which)].data(); }

   private:
    std::array<std::vector<double>, kEtdCoefficients> tables_;
};

}  // namespace mottle::stepper
