// mottle/ir/eigenvalues.h: all eigenvalues of a small real matrix
#pragma once
#include <complex>
#include <vector>

namespace mottle::ir {

/// By rows; square. Sources: characteristic polynomial by Faddeev and LeVerrier, its roots by Durand and Kerner.
std::vector<std::complex<double>> eigenvalues(const std::vector<std::vector<double>>& a);

}  // namespace mottle::ir
