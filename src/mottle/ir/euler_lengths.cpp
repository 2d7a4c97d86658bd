// mottle/ir/euler_lengths.cpp: zeros of Legendre's polynomials, and the order in which steps of Euler's method bear rounding
#include "mottle/ir/euler_lengths.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/stable_polynomial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
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
std::vector<double> places_between(const std::vector<double>& zeros, double length) {
    std::vector<double> places = {0, length};
    for (std::size_t k = 0; k + 1 < zeros.size(); ++k) places.push_back((zeros[k] + zeros[k + 1]) / 2);
    return places;
}

struct Order {
    std::vector<double> zeros;
    double rounding = 1;  ///< the largest product of the last factors
    double lateness = 0;  ///< the mean square of the times at which the steps begin, by their lengths; all steps together have length 1
};

/// Times the square of the weight. With 1/3 a step of order 2 has part of the third order as well. Orders that put the longest steps last have 0.28 to 0.33, but some that rounding likes have 0.4 to
/// 0.6, and errors that are three times as large.
constexpr double kLate = 0.34;

/// The bounds of products of the first factors that are tried. A last product of order 2 is 2 itself where the ripple is lowest.
constexpr double kMostSoFar[] = {1.05, 1.1, 1.25, 1.4, 1.5, 1.6, 1.75, 1.8, 2.0, 2.2, 2.25, 2.4, 2.5, 2.6, 3.0, 3.5};

/// Puts next, again and again, the zero that leaves the smallest product of all that come later, among those with which the product of all so far is at most `most`;
/// where there are none, the one with the smallest product so far.
Order order_of_zeros(std::vector<double> left, double length, double most) {
    const std::vector<double> places = places_between(left, length);
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

/// On the interval from 0 to `length`. `weight`: of a step of order 2.
std::vector<double> in_best_order(const std::vector<double>& zeros, double length, double weight) {
    Order best;
    for (const double most : kMostSoFar) {
        Order order = order_of_zeros(zeros, length, most);
        const double latest = kLate * weight * weight;
        const bool late = order.lateness > latest, best_is_late = best.lateness > latest;
        if (best.zeros.empty() || (late != best_is_late ? best_is_late : order.rounding < best.rounding)) best = std::move(order);
    }
    return best.zeros;
}

bool is_nearly_optimal(int order, int stages) { return order == 2 && stages >= 5; }

EulerLengths found_lengths(int order, int stages) {
    EulerLengths made;
    double slope = 0;
    if (is_nearly_optimal(order, stages)) {
        const StablePolynomial polynomial = stable_polynomial(stages);
        made.weight = 1 - polynomial.level;
        made.lengths = in_best_order(polynomial.zeros, 1 + polynomial.end, made.weight);
        slope = polynomial.slope;
    } else {
        const double s = stages;
        made.weight = order == 1 ? 1 : (s * s + s - 2) / (2 * s * (s + 1));
        made.lengths = in_best_order(zeros_below_one(stages), 2, 0.5);
        slope = order == 1 ? (s * s + s) / 2 : (s * s + s - 2) / 4;
    }
    for (double& length : made.lengths) length = 1 / (slope * length);
    return made;
}

}  // namespace

const EulerLengths& euler_lengths(int order, int stages) {
    if (order < 1 || order > 2 || stages < order || stages > kMostLengths)
        throw core::InternalError("there are no " + std::to_string(stages) + " lengths of order " + std::to_string(order));
    static std::mutex mutex;
    static std::array<std::array<std::unique_ptr<const EulerLengths>, kMostLengths + 1>, 2> known;
    const std::scoped_lock lock(mutex);
    std::unique_ptr<const EulerLengths>& lengths = known[static_cast<std::size_t>(order - 1)][static_cast<std::size_t>(stages)];
    if (!lengths) lengths = std::make_unique<const EulerLengths>(found_lengths(order, stages));
    return *lengths;
}

double euler_lengths_interval(int order, int stages) {
    const double s = stages;
    if (is_nearly_optimal(order, stages)) return 0.76 * s * s - 1.1;
    return order == 1 ? s * s + s : (s * s + s - 2) / 2;
}

}  // namespace mottle::ir
