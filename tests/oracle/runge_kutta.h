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

/// a*x + b*y
inline Numbers combined(double a, Numbers x, double b, const Numbers& y) {
    for (std::size_t f = 0; f < x.size(); ++f) {
        for (std::size_t i = 0; i < x[f].size(); ++i) x[f][i] = a * x[f][i] + b * y[f][i];
    }
    return x;
}

/// Stages of a recursion of Legendre's polynomials from y: the last is P_s(1 + scale z) y for y' = z/dt y; stage j lies at t + scale j (j + 1)/2 dt.
template <class Rate, class Mend>
Numbers legendre_stages(const Numbers& y, double t, double dt, int s, double scale, Rate&& rate, Mend&& mend) {
    Numbers before = y, now = moved(y, scale * dt, rate(y, t));
    if (s == 1) return now;
    now = mend(now, t + scale * dt);
    for (int j = 2; j <= s; ++j) {
        const double mu = (2.0 * j - 1) / j, nu = (1.0 - j) / j;
        Numbers next = moved(combined(mu, now, nu, before), mu * scale * dt, rate(now, t + scale * j * (j - 1) / 2 * dt));
        before = now;
        now = j == s ? next : mend(next, t + scale * j * (j + 1) / 2 * dt);
    }
    return now;
}

/// The fields after a step from t. `rate(y, t)`; `mend(y, t)` makes of a stage, or of the end of the step, what borders make of it. `stages`: of rkl1 and rkl2.
template <class Rate, class Mend>
Numbers step_by(const std::string& method, const Numbers& y, double t, double dt, Rate&& rate, Mend&& mend, int stages = 0) {
    const double s = stages;
    // Meyer, Balsara & Aslam 2014: order 1 in their recursion; order 2 with their polynomial a + b P_s, a = 1 - b
    if (method == "rkl1") return mend(legendre_stages(y, t, dt, stages, 2 / (s * s + s), rate, mend), t + dt);
    if (method == "rkl2") {
        const double b = (s * s + s - 2) / (2 * s * (s + 1));
        return mend(combined(1 - b, y, b, legendre_stages(y, t, dt, stages, 4 / (s * s + s - 2), rate, mend)), t + dt);
    }
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
