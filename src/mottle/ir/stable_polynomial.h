// mottle/ir/stable_polynomial.h: polynomials of second order that are bounded on nearly as long an interval as any
#pragma once
#include <vector>

namespace mottle::ir {

/// R(z) = 1 + z + z^2/2 + ..., a polynomial in x = end + z/slope, and where it takes the value `level`: at end - zeros, ascending.
struct StablePolynomial {
    double level;
    double slope, end;
    std::vector<double> zeros;
};

/// Of degree `stages`, 5 or more: |R| <= 0.83 or so from z = -0.76 s^2 + 1.1 up to where R has come down from 1 (0.81 s^2 is the most for any |R| <= 1). R is a positive quadratic polynomial times the one that is orthogonal to
/// lower degrees with its square as weight, as Abdulle and Medovikov do (Numer. Math. 90 (2001) 1), who tabulate what is solved for here. The level, 0.4, lies between
/// the first minimum and the ripples, so that R takes it `stages` times. Throws: InternalError (it does not).
StablePolynomial stable_polynomial(int stages);

}  // namespace mottle::ir
