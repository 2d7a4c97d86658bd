// mottle/ir/legendre_lengths.h: the lengths of the steps of Euler's method whose product is a Runge-Kutta-Legendre polynomial
#pragma once
#include <vector>

namespace mottle::ir {

/// Legendre's polynomial has real zeros, so P_s(1 - y) is the product of 1 - y/u_k, u_k = 1 - x_k for its zeros x_k: steps of Euler's method, one after another. These are
/// the numbers 1/u_k, in an order in which no product of the first ones exceeds 2 or so on the interval 0 <= y <= 2, so that the states between stay near the
/// solution, and products of the last ones, by which rounding grows, about s^2. In ascending order they would reach 10^9 for 50 stages.
/// `stages`: 1 to kMostLengths. The same bits on every machine. The time to find the order grows with the third power of `stages`: 3 ms for 64.
/// Sources: Alexiades, Amiez & Gremaud 1996, Commun. Numer. Meth. Engng 12, 31 (steps of Euler's method as a stabilised one); Lebedev & Finogenov 1971, USSR Comput. Math.
/// Math. Phys. 11(2), 155 (why their order counts). The order itself is found by trial.
std::vector<double> legendre_lengths(int stages);

/// Beyond, rounding of f32 would grow to a thousandth of the fields.
inline constexpr int kMostLengths = 128;

}  // namespace mottle::ir
