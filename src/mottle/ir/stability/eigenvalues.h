// mottle/ir/stability/eigenvalues.h: all eigenvalues of a real matrix
#pragma once
#include <complex>
#include <vector>

namespace mottle::ir {

/// By rows; square. Small ones by the characteristic polynomial, larger ones by QR.
std::vector<std::complex<double>> eigenvalues(const std::vector<std::vector<double>>& a);
std::vector<std::complex<double>> eigenvalues_by_polynomial(const std::vector<std::vector<double>>& a);
std::vector<std::complex<double>> eigenvalues_by_qr(std::vector<std::vector<double>> a);

}  // namespace mottle::ir
