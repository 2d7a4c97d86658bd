// mottle/ir/legendre_lengths.cpp: zeros of Legendre's polynomials, and an order in which steps of Euler's method bear rounding
#include "mottle/ir/legendre_lengths.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace mottle::ir {
namespace {

/// 1 - x of the zeros x of P_s, ascending: Newton's method behind Tricomi's estimate. P_s(1 - u) is summed by its differences, which keeps the digits of small u.
std::vector<double> zeros_below_one(int stages) {
    constexpr int kRounds = 8;
    Builder b(true);
    const Value made = sin(b, b.uniform(0));
    const Code sine = b.code_of(made);
    std::vector<double> zeros;
    for (int k = 1; k <= stages; ++k) {
        const double half_angle = std::numbers::pi / 2 * ((k - 0.25) / (stages + 0.5));
        const double s = evaluate(sine, {&half_angle, 1});
        double u = 2 * s * s;
        for (int round = 0; round < kRounds; ++round) {
            double p = 1, slope = 0, step_of_p = 0, step_of_slope = 0;
            for (int j = 1; j <= stages; ++j) {
                const double momentum = (j - 1.0) / j, share = (2.0 * j - 1) / j;
                step_of_slope = momentum * step_of_slope - share * (p + u * slope);
                step_of_p = momentum * step_of_p - share * (u * p);
                slope += step_of_slope;
                p += step_of_p;
            }
            u -= p / slope;
        }
        zeros.push_back(u);
    }
    return zeros;
}

/// Places between the zeros, where partial products are largest, and the ends of the interval.
std::vector<double> places_between(const std::vector<double>& zeros) {
    std::vector<double> places = {0, 2};
    for (std::size_t k = 0; k + 1 < zeros.size(); ++k) places.push_back((zeros[k] + zeros[k + 1]) / 2);
    return places;
}

struct Order {
    std::vector<double> zeros;
    double rounding = 1;  ///< the largest product of the last factors
    double lateness = 0;  ///< the mean square of the times at which the steps begin, by their lengths; all steps together have length 1
};

/// With 1/12 a step of order 2 has part of the third order as well. Orders that put the longest steps last have 0.073, but some that rounding likes have 0.10 to 0.14, and
/// errors that are three times as large.
constexpr double kLate = 0.08;

/// Puts next, again and again, the zero that leaves the smallest product of all that come later, among those with which the product of all so far is at most `most`;
/// where there are none, the one with the smallest product so far.
Order order_of_zeros(std::vector<double> left, double most) {
    const std::vector<double> places = places_between(left);
    std::vector<double> so_far(places.size(), 1), later(places.size(), 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (const double zero : left) later[i] *= 1 - places[i] / zero;
    }
    Order order;
    while (!left.empty()) {
        std::size_t best = left.size(), tamest = 0;
        double best_later = 0, least = 0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            double largest = 0, largest_later = 0;
            for (std::size_t i = 0; i < places.size(); ++i) {
                const double factor = 1 - places[i] / left[k];
                largest = std::max(largest, std::abs(so_far[i] * factor));
                largest_later = std::max(largest_later, std::abs(later[i] / factor));
            }
            if (k == 0 || largest < least) least = largest, tamest = k;
            if (largest <= most && (best == left.size() || largest_later < best_later)) best_later = largest_later, best = k;
        }
        if (best == left.size()) best = tamest;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double factor = 1 - places[i] / left[best];
            so_far[i] *= factor;
            later[i] /= factor;
            order.rounding = std::max(order.rounding, std::abs(later[i]));
        }
        order.zeros.push_back(left[best]);
        left.erase(left.begin() + core::Index(best));
    }
    double begin = 0;
    for (const double zero : order.zeros) {
        order.lateness += begin * begin / zero;
        begin += 1 / zero;
    }
    order.lateness /= begin * begin * begin;
    return order;
}

}  // namespace

std::vector<double> legendre_lengths(int stages) {
    if (stages < 1 || stages > kMostLengths) throw core::InternalError("a step has no " + std::to_string(stages) + " lengths");
    const std::vector<double> zeros = zeros_below_one(stages);
    Order best;
    for (const double most : {1.05, 1.25, 1.5, 1.75, 2.0}) {
        Order order = order_of_zeros(zeros, most);
        const bool late = order.lateness > kLate, best_is_late = best.lateness > kLate;
        if (best.zeros.empty() || (late != best_is_late ? best_is_late : order.rounding < best.rounding)) best = std::move(order);
    }
    for (double& zero : best.zeros) zero = 1 / zero;
    return best.zeros;
}

}  // namespace mottle::ir
