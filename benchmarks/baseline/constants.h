// mottle/benchmarks/baseline/constants.h: the folded constants of one explicit Euler step of Gray-Scott; plain data
#pragma once

namespace mottle::benchmarks {

/// u' = fma(-u, q, fma(weight_u, sum_u, fma(centre_u, u, feed))), v' = fma(u, q, fma(weight_v, sum_v, centre_v * v)), q = (dt * v) * v.
struct Constants {
    float centre_u, centre_v, weight_u, weight_v, dt, feed;
};

}  // namespace mottle::benchmarks
