// mottle/ir/method.cpp: the tables of the methods, and how long a step may be
#include "mottle/ir/method.h"

#include "mottle/ir/stability/interval.h"

#include <algorithm>

namespace mottle::ir {

// Sources: Runge 1895 (midpoint), Heun 1900, Kutta 1901.
const std::vector<RungeKutta>& methods() {
    static const std::vector<RungeKutta> all = {
        {"euler", {}, {1}},
        {"midpoint", {0.5}, {0, 1}},
        {"heun", {1}, {0.5, 0.5}},
        {"rk4", {0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
    };
    return all;
}

const RungeKutta* find_method(std::string_view name) {
    const auto found = std::find_if(methods().begin(), methods().end(), [name](const RungeKutta& method) { return method.name == name; });
    return found == methods().end() ? nullptr : &*found;
}

std::complex<double> growth(const RungeKutta& method, std::complex<double> rate) {
    std::complex<double> stage(1), end(1);  // y_i and the end of the step, for y = 1
    for (std::size_t i = 0; i < method.weights.size(); ++i) {
        const std::complex<double> slope = rate * stage;
        end += method.weights[i] * slope;
        if (i < method.reach.size()) stage = 1.0 + method.reach[i] * slope;
    }
    return end;
}

double longest_step(const RungeKutta& method, std::complex<double> rate) {
    if (!(std::abs(rate) > 0)) return kInfinity;
    if (method.weights.size() == 1) return rate.imag() == 0 ? 2 / rate.real() : 2 * rate.real() / std::norm(rate);
    const std::complex<double> direction = -rate / std::abs(rate);
    const auto grows = [&](double length) { return std::norm(growth(method, length * direction)) > 1; };
    constexpr double kStride = 1.0 / 64, kFar = 16;  // no polynomial of so few stages is bounded as far out as that
    double outside = kStride;
    while (outside < kFar && !grows(outside)) outside += kStride;
    double inside = outside - kStride;
    for (int round = 0; round < 60; ++round) {
        const double middle = 0.5 * (inside + outside);
        (grows(middle) ? outside : inside) = middle;
    }
    return inside / std::abs(rate);
}

// A step makes R x + (1 - R)/rate * noise of x, whose noise has variance 2 rate where x has variance 1 in continuous time.
double noise_share(const RungeKutta& method, double rate) {
    const double factor = growth(method, -rate).real();
    return 2 * (1 - factor) / (rate * (1 + factor));
}

}  // namespace mottle::ir
