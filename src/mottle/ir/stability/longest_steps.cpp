// mottle/ir/stability/longest_steps.cpp: the longest time step that lets no wave grow
#include "mottle/ir/stability/longest_steps.h"

#include "mottle/ir/stability/eigenvalues.h"

#include <algorithm>
#include <cmath>

namespace mottle::ir {
namespace {

/// Neither decays nor grows by itself, but for rounding.
bool only_turns(const std::complex<double>& rate) { return rate.imag() != 0 && std::abs(rate.real()) <= 1e-9 * std::abs(rate); }

/// What a step of length h makes of a wave that decays at `solved` by the diffusion that a method solves for, and at `rate` by what it steps explicitly: by `imex`, or by
/// the two stages of `imex2` (stepper/split_steps.h).
std::complex<double> split_step(bool two_stages, double h, double solved, const std::complex<double>& rate) {
    if (!two_stages) return (1.0 - h * rate) / (1 + h * solved);
    const double share = 1 + (1 - 1 / std::sqrt(2.0)) * h * solved;
    const std::complex<double> all = rate + solved, first = -all / share, second = (-all * (1.0 + h * first) - 2.0 * first) / share;
    return 1.0 + h * (1.5 * first + 0.5 * second);
}

}  // namespace

bool grows_turning(const StabilityPolynomial& method) { return std::abs(method({0, 0.125})) > 1; }

double limit_of(const StabilityPolynomial& method, const std::vector<std::vector<double>>& matrix) {
    double limit = kInfinity;
    for (const std::complex<double>& value : eigenvalues(matrix)) {
        if (value.real() > 0 && !only_turns(value)) limit = std::min(limit, method.longest_step(value));
    }
    return limit;
}

double limit_with_turning(const StabilityPolynomial& method, const std::vector<std::vector<double>>& matrix) {
    double limit = kInfinity;
    for (const std::complex<double>& value : eigenvalues(matrix)) {
        if (only_turns(value)) {
            limit = std::min(limit, grows_turning(method) ? 0 : method.longest_step({0, value.imag()}));
        } else if (value.real() > 0) {
            limit = std::min(limit, method.longest_step(value));
        }
    }
    return limit;
}

double longest_split_step(bool two_stages, double solved, const std::complex<double>& rate) {
    constexpr double kShortest = 1e-4, kLongest = 1e4, kFactor = 1.2, kRounding = 1e-12;
    const auto grows = [&](double h) { return std::abs(split_step(two_stages, h, solved, rate)) > 1 + kRounding; };
    const double unit = 1 / (solved + std::abs(rate));
    double good = 0, bad = kShortest * unit;
    for (; !grows(bad); bad *= kFactor) {
        if (bad > kLongest * unit) return kInfinity;
        good = bad;
    }
    if (good == 0) return 0;
    while (bad > good * (1 + 1e-9)) {
        const double middle = (good + bad) / 2;
        (grows(middle) ? bad : good) = middle;
    }
    return good;
}

}  // namespace mottle::ir
