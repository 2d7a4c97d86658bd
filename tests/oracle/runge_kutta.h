// tests/oracle/runge_kutta.h: one step of each method as textbooks write it; includes nothing of Mottle
#pragma once
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

/// 1/(1 - x) of the zeros x of P_s, ascending: the zeros by bisection between places where P_s changes its sign.
inline std::vector<double> lengths_of_euler_steps(int s) {
    const auto polynomial = [s](double x) {
        double before = 1, now = x;
        for (int j = 2; j <= s; ++j) {
            const double next = ((2.0 * j - 1) * x * now - (j - 1.0) * before) / j;
            before = now;
            now = next;
        }
        return now;
    };
    std::vector<double> lengths;
    const int places = 40 * s * s;
    for (int i = 0; i < places; ++i) {
        double low = -1 + 2.0 * i / places, high = -1 + 2.0 * (i + 1) / places;
        if ((polynomial(low) < 0) == (polynomial(high) < 0)) continue;
        const bool below = polynomial(low) < 0;
        for (int round = 0; round < 100; ++round) {
            const double middle = (low + high) / 2;
            ((polynomial(middle) < 0) == below ? low : high) = middle;
        }
        lengths.push_back(1 / (1 - high));
    }
    return lengths;
}

/// Steps of Euler's method whose lengths are `scale`/(1 - x), x the zeros of P_s: the last is P_s(1 + scale z) y. `order`: places of the ascending lengths.
template <class Rate, class Mend>
Numbers euler_stages(const Numbers& y, double t, double dt, const std::vector<int>& order, double scale, Rate&& rate, Mend&& mend) {
    const std::vector<double> lengths = lengths_of_euler_steps(static_cast<int>(order.size()));
    Numbers now = y;
    double passed = 0;
    for (std::size_t j = 0; j < order.size(); ++j) {
        const double length = scale * lengths.at(static_cast<std::size_t>(order[j]));
        Numbers next = moved(now, length * dt, rate(now, t + passed * dt));
        passed += length;
        now = j + 1 == order.size() ? next : mend(next, t + passed * dt);
    }
    return now;
}

/// The fields after a step from t. `rate(y, t)`; `mend(y, t)` makes of a stage, or of the end of the step, what borders make of it. `stages`: of rkl1 and rkl2, and of sts1
/// (5) and sts2 (4, where it has the polynomial of rkl2).
template <class Rate, class Mend>
Numbers step_by(const std::string& method, const Numbers& y, double t, double dt, Rate&& rate, Mend&& mend, int stages = 0) {
    const double s = stages;
    // Meyer, Balsara & Aslam 2014: order 1 in their recursion; order 2 with their polynomial a + b P_s, a = 1 - b
    if (method == "rkl1") return mend(legendre_stages(y, t, dt, stages, 2 / (s * s + s), rate, mend), t + dt);
    if (method == "rkl2") {
        const double b = (s * s + s - 2) / (2 * s * (s + 1));
        return mend(combined(1 - b, y, b, legendre_stages(y, t, dt, stages, 4 / (s * s + s - 2), rate, mend)), t + dt);
    }
    if (method == "sts1" || method == "sts2") {
        const bool first = method == "sts1";
        if (stages != (first ? 5 : 4)) throw std::logic_error("the orders of the lengths are those of 5 and of 4 stages");
        const std::vector<int> order = first ? std::vector<int>{2, 1, 3, 0, 4} : std::vector<int>{1, 2, 0, 3};
        const double scale = first ? 2 / (s * s + s) : 4 / (s * s + s - 2), b = first ? 1 : (s * s + s - 2) / (2 * s * (s + 1));
        return mend(combined(1 - b, y, b, euler_stages(y, t, dt, order, scale, rate, mend)), t + dt);
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
