// tests/oracle/runge_kutta.h: one step of each method as textbooks write it; includes nothing of Mottle
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace oracle {

using Numbers = std::vector<std::vector<double>>;  ///< by field

/// y + share*k
inline Numbers moved(Numbers y, double share, const Numbers& k) {
    for (std::size_t f = 0; f < y.size(); ++f) {
        for (std::size_t i = 0; i < y[f].size(); ++i) y[f][i] += share * k[f][i];
    }
    return y;
}

/// The fields after a step from t. `rate(y, t)`; `mend(y, t)` makes of a stage, or of the end of the step, what borders make of it.
template <class Rate, class Mend>
Numbers step_by(const std::string& method, const Numbers& y, double t, double dt, Rate&& rate, Mend&& mend) {
    const Numbers k1 = rate(y, t);
    if (method == "euler") return mend(moved(y, dt, k1), t + dt);
    if (method == "midpoint") {
        const Numbers k2 = rate(mend(moved(y, dt / 2, k1), t + dt / 2), t + dt / 2);
        return mend(moved(y, dt, k2), t + dt);
    }
    if (method == "heun") {
        const Numbers k2 = rate(mend(moved(y, dt, k1), t + dt), t + dt);
        return mend(moved(moved(y, dt / 2, k1), dt / 2, k2), t + dt);
    }
    const Numbers k2 = rate(mend(moved(y, dt / 2, k1), t + dt / 2), t + dt / 2);
    const Numbers k3 = rate(mend(moved(y, dt / 2, k2), t + dt / 2), t + dt / 2);
    const Numbers k4 = rate(mend(moved(y, dt, k3), t + dt), t + dt);
    return mend(moved(moved(moved(moved(y, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4), t + dt);
}

}  // namespace oracle
