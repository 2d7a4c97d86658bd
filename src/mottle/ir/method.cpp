// mottle/ir/method.cpp: the methods, their coefficients, and how long a step may be
#include "mottle/ir/method.h"

#include "mottle/core/error.h"
#include "mottle/ir/euler_lengths.h"
#include "mottle/ir/stability/interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::ir {

// Sources: Runge 1895 (midpoint), Heun 1900, Kutta 1901, Meyer, Balsara & Aslam 2014 (rkl1, rkl2), those of euler_lengths.h (sts1, sts2), Ascher, Ruuth & Wetton 1995 (imex),
// Verwer, Spee, Blom & Hundsdorfer 1999 (imex2, whose rates of the rest are weighted as those of heun), Cox & Matthews 2002 (etdrk4, as those of rk4).
const std::vector<Scheme>& schemes() {
    static const std::vector<Scheme> all = {
        {"euler", RungeKutta{{}, {1}, 1}, NoiseRule::one_number},
        {"midpoint", RungeKutta{{0.5}, {0, 1}, 2}, NoiseRule::one_number},
        {"heun", RungeKutta{{1}, {0.5, 0.5}, 2}, NoiseRule::one_number},
        {"rk4", RungeKutta{{0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, 4}, NoiseRule::one_number},
        {"rkl1", RungeKuttaLegendre{1}, NoiseRule::refused},
        {"rkl2", RungeKuttaLegendre{2}, NoiseRule::refused},
        {"sts1", RungeKuttaLegendre{1, true}, NoiseRule::refused},
        {"sts2", RungeKuttaLegendre{2, true}, NoiseRule::refused},
        {"imex", RungeKutta{{}, {1}, 1}, NoiseRule::one_number, true},
        {"imex2", RungeKutta{{1}, {0.5, 0.5}, 2}, NoiseRule::refused, true, false, true},
        {"etdrk4", RungeKutta{{0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, 4}, NoiseRule::refused, false, true, true},
    };
    return all;
}

int Scheme::fewest_stages() const { return table() ? static_cast<int>(table()->weights.size()) : legendre()->order; }

int Scheme::most_stages() const { return table() ? fewest_stages() : legendre()->factored ? kMostLengths : kMostStages; }

const Scheme* find_scheme(std::string_view name) {
    const auto found = std::find_if(schemes().begin(), schemes().end(), [name](const Scheme& scheme) { return scheme.name == name; });
    return found == schemes().end() ? nullptr : &*found;
}

const Scheme& scheme_of(const Method& method) {
    const Scheme* scheme = find_scheme(method.name);
    if (!scheme) throw core::InternalError("there is no method '" + method.name + "'");
    return *scheme;
}

int stages_of(const Method& method) {
    const Scheme& scheme = scheme_of(method);
    const int stages = scheme.table() ? scheme.fewest_stages() : method.stages;
    if (stages < scheme.fewest_stages() || stages > scheme.most_stages())
        throw core::InternalError("a step of " + method.name + " has no " + std::to_string(stages) + " stages");
    return stages;
}

int order_of(const Method& method) {
    const Scheme& scheme = scheme_of(method);
    return scheme.table() ? scheme.table()->order : scheme.legendre()->order;
}

int kernel_steps_of(const Method& method) { return scheme_of(method).table() ? 1 : stages_of(method); }

LegendreStep legendre_step(const RungeKuttaLegendre& method, int stages) {
    if (method.factored) {
        const EulerLengths& found = euler_lengths(method.order, stages);
        LegendreStep step{{}, found.weight};
        double begin = 0;
        for (const double length : found.lengths) {
            step.stages.push_back({begin, length, 0});
            begin += length;
        }
        return step;
    }
    const double s = stages, scale = method.order == 1 ? 2 / (s * s + s) : 4 / (s * s + s - 2);
    LegendreStep step{{}, method.order == 1 ? 1 : (s * s + s - 2) / (2 * s * (s + 1))};
    for (int j = 1; j <= stages; ++j) step.stages.push_back({scale / 2 * (j * (j - 1.0)), (2.0 * j - 1) / j * scale, (j - 1.0) / j});
    return step;
}

StabilityPolynomial::StabilityPolynomial(const Method& method) : scheme_(scheme_of(method)), stages_(stages_of(method)) {
    const RungeKuttaLegendre* legendre = scheme_.legendre();
    if (legendre && !legendre->factored) recursion_ = legendre_step(*legendre, stages_);
    const double published = published_interval();
    if (!scheme_.splits()) real_interval_ = published > 0 ? published : reach(-1);
}

std::complex<double> StabilityPolynomial::operator()(std::complex<double> rate) const {
    // as if diffusion were all of it
    if (scheme_.solves_diffusion && scheme_.makes_rates) {
        const std::complex<double> by = 1.0 - (1 - 1 / std::numbers::sqrt2) * rate;
        return 1.0 + 2.0 * rate / by + (0.5 * rate * rate - rate) / (by * by);
    }
    if (scheme_.solves_diffusion) return 1.0 / (1.0 - rate);
    if (scheme_.takes_exponentials) return std::exp(rate);
    return scheme_.table() ? of_table(rate) : of_stages(rate);
}

std::complex<double> StabilityPolynomial::of_table(std::complex<double> rate) const {
    const RungeKutta& table = *scheme_.table();
    std::complex<double> stage(1), end(1);  // y_i and the end of the step, for y = 1
    for (std::size_t i = 0; i < table.weights.size(); ++i) {
        const std::complex<double> slope = rate * stage;
        end += table.weights[i] * slope;
        if (i < table.reach.size()) stage = 1.0 + table.reach[i] * slope;
    }
    return end;
}

std::complex<double> StabilityPolynomial::of_stages(std::complex<double> rate) const {
    if (scheme_.legendre()->factored) {
        const EulerLengths& steps = euler_lengths(scheme_.legendre()->order, stages_);
        std::complex<double> product(1);
        for (const double length : steps.lengths) product *= 1.0 + length * rate;
        return 1.0 + steps.weight * (product - 1.0);
    }
    std::complex<double> y(1), increment(0);
    for (const LegendreStep::Stage& stage : recursion_.stages) {
        increment = stage.momentum * increment + stage.share * rate * y;
        y += increment;
    }
    return 1.0 + recursion_.weight * (y - 1.0);
}

double StabilityPolynomial::published_interval() const {
    const double s = stages_;
    const RungeKuttaLegendre* legendre = scheme_.legendre();
    if (legendre && legendre->factored) return euler_lengths_interval(legendre->order, stages_);
    if (legendre) return legendre->order == 1 ? s * s + s : (s * s + s - 2) / 2;
    return stages_ == 1 ? 2 : 0;
}

double StabilityPolynomial::longest_step(std::complex<double> rate) const {
    if (!(std::abs(rate) > 0) || scheme_.splits()) return kInfinity;
    if (rate.imag() == 0 && rate.real() > 0) return real_interval_ / rate.real();
    if (stages_ == 1) return 2 * rate.real() / std::norm(rate);
    return reach(-rate / std::abs(rate)) / std::abs(rate);
}

double StabilityPolynomial::reach(std::complex<double> direction) const {
    const auto grows = [&](double length) { return std::norm((*this)(length * direction)) > 1; };
    // The table's polynomials are bounded no further out than 16. The waves of those of many stages are as long as their distance's root.
    constexpr double kStride = 1.0 / 64, kFar = 16;
    const double interval = published_interval();
    const double far = interval > 0 ? 1.5 * interval + kFar : kFar;
    double inside = 0, outside = kStride;
    while (outside < far && !grows(outside)) {
        inside = outside;
        outside += interval > 0 ? std::max(kStride, std::sqrt(outside) / 16) : kStride;
    }
    for (int round = 0; round < 60; ++round) {
        const double middle = 0.5 * (inside + outside);
        (grows(middle) ? outside : inside) = middle;
    }
    return inside;
}

// A step makes R x + (1 - R)/rate * noise of x, whose noise has variance 2 rate where x has variance 1 in continuous time.
double StabilityPolynomial::noise_share(double rate) const {
    const double factor = (*this)(-rate).real();
    return 2 * (1 - factor) / (rate * (1 + factor));
}

}  // namespace mottle::ir
