// mottle/ir/stable_polynomial.cpp: polynomials of second order that are bounded on nearly as long an interval as any
#include "mottle/ir/stable_polynomial.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/program/evaluate.h"

#include <cmath>
#include <numbers>
#include <string>

namespace mottle::ir {
namespace {

constexpr double kLevel = 0.4;
constexpr double kRipple = 0.8;                            // |R| at the far end of the interval
constexpr double kPlace = 2.5;                             // 1 - kPlace/s^2: real part of the zeros of the quadratic polynomial
constexpr double kLeastImaginary = 1, kMostImaginary = 8;  // s^2 times their imaginary part lies between these
constexpr double kNextTrial = 0.25;
constexpr int kBisections = 60;

struct Derivatives {
    double value, first, second;
};

/// w P, w(x) = (x - a)^2 + d^2 and P of degree s - 2 with leading coefficient 1, orthogonal by the weight w^2/sqrt(1 - x^2).
class WeightedPolynomial {
   public:
    /// `nodes`: those of Chebyshev's quadrature, enough that sums are the integrals.
    WeightedPolynomial(int stages, double imaginary, const std::vector<double>& nodes)
        : real_(1 - kPlace / (stages * stages)), imaginary_(imaginary / (stages * stages)) {
        std::vector<double> before(nodes.size()), now(nodes.size(), 1);
        double norm_before = 1;
        for (int k = 0; k + 2 < stages; ++k) {
            double norm = 0, moment = 0;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const double w = quadratic(nodes[i]), weight = w * w * (now[i] * now[i]);
                norm += weight;
                moment += nodes[i] * weight;
            }
            centre_.push_back(moment / norm);
            ratio_.push_back(k > 0 ? norm / norm_before : 0);
            norm_before = norm;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const double next = (nodes[i] - centre_.back()) * now[i] - ratio_.back() * before[i];
                before[i] = now[i];
                now[i] = next;
            }
        }
    }

    Derivatives at(double x) const {
        Derivatives before{0, 0, 0}, now{1, 0, 0};
        for (std::size_t k = 0; k < centre_.size(); ++k) {
            const double from = x - centre_[k];
            const Derivatives next{from * now.value - ratio_[k] * before.value, now.value + from * now.first - ratio_[k] * before.first,
                                   2 * now.first + from * now.second - ratio_[k] * before.second};
            before = now;
            now = next;
        }
        const double w = quadratic(x), slope = 2 * (x - real_);
        return {w * now.value, slope * now.value + w * now.first, 2 * now.value + 2 * slope * now.first + w * now.second};
    }

    /// The place beyond 1 at which the ripples are kRipple of the value.
    double end(double stages) const {
        const double wanted = std::abs(at(-1).value) / kRipple;
        double low = 1, high = 1 + 16 / (stages * stages);
        for (int round = 0; round < kBisections; ++round) {
            const double middle = (low + high) / 2;
            (at(middle).value < wanted ? low : high) = middle;
        }
        return high;
    }

   private:
    double quadratic(double x) const { return (x - real_) * (x - real_) + imaginary_ * imaginary_; }

    double real_, imaginary_;
    std::vector<double> centre_, ratio_;
};

/// R'' - R'^2 at the end, by R'^2: 0 in second order.
double off_order(const WeightedPolynomial& polynomial, double end) {
    const Derivatives there = polynomial.at(end);
    return there.second * there.value / (there.first * there.first) - 1;
}

std::vector<double> cosines(const std::vector<double>& angles) {
    Builder b(true);
    const Value made = cos(b, b.uniform(0));
    const Code code = b.code_of(made);
    std::vector<double> result;
    for (const double angle : angles) result.push_back(evaluate(code, {&angle, 1}));
    return result;
}

std::vector<double> angles_of(int count, double shift) {
    std::vector<double> angles;
    for (int i = 0; i < count; ++i) angles.push_back(std::numbers::pi * ((i + shift) / count));
    return angles;
}

}  // namespace

StablePolynomial stable_polynomial(int stages) {
    const double s = stages;
    const std::vector<double> nodes = cosines(angles_of(stages + 4, 0.5));
    const auto off = [&](double imaginary) {
        const WeightedPolynomial polynomial(stages, imaginary, nodes);
        return off_order(polynomial, polynomial.end(s));
    };
    const double first = off(kLeastImaginary);
    double high = kLeastImaginary + kNextTrial;
    while (high <= kMostImaginary && (off(high) < 0) == (first < 0)) high += kNextTrial;
    if (high > kMostImaginary) throw core::InternalError("no polynomial of second order with " + std::to_string(stages) + " stages");
    double low = high - kNextTrial;
    for (int round = 0; round < kBisections; ++round) {
        const double middle = (low + high) / 2;
        ((off(middle) < 0) == (first < 0) ? low : high) = middle;
    }
    const WeightedPolynomial polynomial(stages, low, nodes);
    StablePolynomial made{kLevel, 0, polynomial.end(s), {}};
    const Derivatives there = polynomial.at(made.end);
    made.slope = there.first / there.value;
    const auto above = [&](double x) { return polynomial.at(x).value / there.value > kLevel; };
    // from the end to a little beyond -1, in steps that are shorter than any wave of R
    double x = made.end;
    bool is_above = true;
    const std::vector<double> places = cosines(angles_of(24 * stages, 0));
    for (std::size_t i = 1; i <= places.size(); ++i) {
        const double next = i < places.size() ? made.end - (1 - places[i]) / 2 * (1 + made.end) : -1 - 1 / (s * s);
        if (above(next) != is_above) {
            double inside = x, outside = next;
            for (int round = 0; round < kBisections; ++round) {
                const double middle = (inside + outside) / 2;
                (above(middle) == is_above ? inside : outside) = middle;
            }
            made.zeros.push_back(made.end - outside);
            is_above = !is_above;
        }
        x = next;
    }
    if (made.zeros.size() != static_cast<std::size_t>(stages))
        throw core::InternalError("a polynomial of " + std::to_string(stages) + " stages has " + std::to_string(made.zeros.size()) +
                                  " zeros");
    return made;
}

}  // namespace mottle::ir
