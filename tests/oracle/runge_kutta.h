// tests/oracle/runge_kutta.h: one step of each method as textbooks write it; includes nothing of Mottle
#pragma once
#include "oracle/factored_stages.h"

#include <cstddef>
#include <stdexcept>
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

/// What leaves numbers as they are.
struct Kept {
    Numbers operator()(Numbers y) const { return y; }
};

/// Stages of a recursion of Legendre's polynomials from y: the last is P_s(1 + scale z) y for y' = z/dt y; stage j lies at t + scale j (j + 1)/2 dt. The article's
/// y_j = mu y_(j-1) + nu y_(j-2) + mu scale dt k, mu = (2j - 1)/j and nu = 1 - mu, as steps from y_(j-1): the step before it times -nu, and mu scale dt k. `first` mends the first stage and its step.
template <class Rate, class Mend, class First>
Numbers legendre_stages(const Numbers& y, double t, double dt, int s, double scale, Rate&& rate, Mend&& mend, First&& first) {
    Numbers now = y, gone;
    for (int j = 1; j <= s; ++j) {
        const double mu = (2.0 * j - 1) / j, nu = (1.0 - j) / j, end = t + scale * j * (j + 1) / 2 * dt;
        const Numbers k = rate(now, t + scale * j * (j - 1) / 2 * dt);
        if (gone.empty()) gone = moved(k, -1, k);
        gone = combined(-nu, gone, mu * scale * dt, k);
        now = moved(now, 1, gone);
        if (j == 1) {
            gone = first(gone);
            now = first(now);
        }
        if (j < s) now = mend(now, end);
    }
    return now;
}

/// Steps of Euler's method from y, of the lengths `lengths` dt.
template <class Rate, class Mend, class First>
Numbers euler_stages(const Numbers& y, double t, double dt, const std::vector<double>& lengths, Rate&& rate, Mend&& mend, First&& first) {
    Numbers now = y;
    double passed = 0;
    for (std::size_t j = 0; j < lengths.size(); ++j) {
        now = moved(now, lengths[j] * dt, rate(now, t + passed * dt));
        passed += lengths[j];
        if (j == 0) now = first(now);
        if (j + 1 < lengths.size()) now = mend(now, t + passed * dt);
    }
    return now;
}

/// Of methods with any number of stages: how many, and of sts1 and sts2 in which order the lengths come, as places among the ascending ones.
struct Stages {
    int count = 0;
    std::vector<int> order;
};

/// The fields after a step from t. `rate(y, t)`; `mend(y, t)` makes of a stage, or of the end of the step, what borders make of it; `first(y)` of the first stage of rkl2 and sts2, of its step and of the
/// fields that the end is combined with, what an underflow makes of it.
template <class Rate, class Mend, class First = Kept>
Numbers step_by(const std::string& method, const Numbers& y, double t, double dt, Rate&& rate, Mend&& mend, const Stages& stages = {},
                First&& first = {}) {
    const double s = stages.count;
    // Meyer, Balsara & Aslam 2014: order 1 in their recursion; order 2 with their polynomial a + b P_s, a = 1 - b
    if (method == "rkl1") return mend(legendre_stages(y, t, dt, stages.count, 2 / (s * s + s), rate, mend, Kept()), t + dt);
    if (method == "rkl2") {
        const double b = (s * s + s - 2) / (2 * s * (s + 1));
        const Numbers last = legendre_stages(y, t, dt, stages.count, 4 / (s * s + s - 2), rate, mend, first);
        return mend(combined(1 - b, first(y), b, last), t + dt);
    }
    if (method == "sts1" || method == "sts2") {
        const bool second = method == "sts2";
        const FactoredStages of = factored_stages(second ? 2 : 1, stages.count);
        std::vector<double> lengths;
        for (const int place : stages.order) lengths.push_back(of.lengths.at(static_cast<std::size_t>(place)));
        if (lengths.size() != of.lengths.size()) throw std::logic_error("an order of other than as many lengths as stages");
        if (!second) return mend(euler_stages(y, t, dt, lengths, rate, mend, Kept()), t + dt);
        return mend(combined(1 - of.weight, first(y), of.weight, euler_stages(y, t, dt, lengths, rate, mend, first)), t + dt);
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
