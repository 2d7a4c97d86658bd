// mottle/ir/euler_lengths.h: the lengths of the steps of Euler's method whose product is a stabilised step
#pragma once
#include <vector>

namespace mottle::ir {

/// A step of `sts1` or `sts2`: steps of Euler's method, one after another, and then y + weight (y_s - y). What it multiplies a wave by is 1 - weight + weight times a polynomial with real zeros, whose factors
/// are those steps.
struct EulerLengths {
    std::vector<double> lengths;  ///< as shares of dt; they add up to 1/weight
    double weight;
};

/// So many of order 1 let rounding of f32 grow to 1e-4 of a stiff field, of order 2 to 2e-2, and 64 of these to 1e-3 (docs/notes/stiff.md).
inline constexpr int kMostLengths = 128;

/// Order 1: P_s(1 + 2 z/(s^2 + s)), P_s Legendre's polynomial; weight 1. Order 2: from 5 stages on a nearly optimal polynomial (stable_polynomial.h), weight 0.6, below that P_s(1 + 4 z/(s^2 + s - 2)), as rkl2 has.
/// The lengths have an order in which no product of the first factors exceeds 3 or so, so that the states between stay near the solution, nor a product of the last ones, by which rounding
/// grows: at most s^2 or so in order 1, 1 to 26 s^2 in order 2. In ascending order they would reach 10^9 for 50 stages. `stages`: `order` to kMostLengths. The same bits on every machine; found once for each number of stages, in a time that grows with its third power
/// (5 ms for 64). Throws: InternalError (there is no such step).
/// Sources: Alexiades, Amiez & Gremaud 1996, Commun. Numer. Meth. Engng 12, 31 (steps of Euler's method as a stabilised one); Lebedev & Finogenov 1971, USSR Comput. Math. Math. Phys. 11(2), 155 (why their
/// order counts). The order itself is found by trial.
const EulerLengths& euler_lengths(int order, int stages);

/// Up to which -z no wave grows: s^2 + s for order 1, 0.76 s^2 - 1.1 for order 2 ((s^2 + s - 2)/2 below 5 stages).
double euler_lengths_interval(int order, int stages);

}  // namespace mottle::ir
