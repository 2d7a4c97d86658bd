// mottle/benchmarks/baseline/schnakenberg.h: Schnakenberg's model by short steps of rk4, as plain loops
#pragma once
#include <vector>

namespace mottle::benchmarks {

struct SchnakenbergState {
    int size;                  ///< cells of a side, spacing 1, periodic
    std::vector<double> u, v;  ///< row by row
};

/// u' = lap(u) + 0.1 - u + u^2 v, v' = diffusion lap(v) + 0.9 - u^2 v, from here to `time`, in `steps` steps.
SchnakenbergState schnakenberg_after(SchnakenbergState start, double diffusion, double time, int steps);

}  // namespace mottle::benchmarks
