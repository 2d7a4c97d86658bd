// tests/oracle/fine_steps.h: short steps of the fourth order, and how far fields are from what these reach; includes nothing of Mottle
#pragma once
#include "oracle/runge_kutta.h"

#include <algorithm>
#include <cmath>

namespace oracle {

/// `y` after `steps` steps of rk4 to `time`; `rates(y)`.
template <class Rates>
Numbers fine_steps(Numbers y, const Rates& rates, double time, int steps) {
    for (int n = 0; n < steps; ++n) {
        y = step_by(
            "rk4", y, 0, time / steps, [&](const Numbers& now, double) { return rates(now); },
            [](const Numbers& stage, double) { return stage; });
    }
    return y;
}

/// Root mean square of the difference by the standard deviation, the largest of all fields; by the weights of cells where there are some.
inline double relative_error(const Numbers& found, const Numbers& exact, const std::vector<double>& weights = {}) {
    double worst = 0;
    for (std::size_t f = 0; f < exact.size(); ++f) {
        double whole = 0, sum = 0, squares = 0, differences = 0;
        for (std::size_t i = 0; i < exact[f].size(); ++i) {
            const double w = weights.empty() ? 1 : weights[i], x = exact[f][i], d = found[f][i] - x;
            whole += w;
            sum += w * x;
            squares += w * x * x;
            differences += w * d * d;
        }
        const double mean = sum / whole;
        worst = std::max(worst, std::sqrt(differences / whole / (squares / whole - mean * mean)));
    }
    return worst;
}

}  // namespace oracle
