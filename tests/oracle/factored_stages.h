// tests/oracle/factored_stages.h: the lengths of the steps of Euler's method that make up a step of sts1 or sts2, from their definition in long double; includes nothing of Mottle
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace oracle {

/// Steps of Euler's method of the lengths `lengths` dt, in any order, from y to y_s; the step ends with y + weight (y_s - y).
struct FactoredStages {
    std::vector<double> lengths;  ///< ascending
    double weight;
};

namespace factored {

using Number = long double;

/// Where `f` changes its sign between `low` and `high`, ascending: looked for between `places` places that lie closer at both ends, then by bisection.
template <class F>
std::vector<Number> sign_changes(F&& f, Number low, Number high, int places) {
    const auto place = [&](int i) {
        return low + (high - low) * (1 - std::cos(std::acos(Number{-1}) * static_cast<Number>(i) / static_cast<Number>(places))) / 2;
    };
    std::vector<Number> found;
    for (int i = 0; i < places; ++i) {
        Number a = place(i), b = place(i + 1);
        const bool above = f(a) > 0;
        if ((f(b) > 0) == above) continue;
        for (int round = 0; round < 120; ++round) {
            const Number middle = (a + b) / 2;
            ((f(middle) > 0) == above ? a : b) = middle;
        }
        found.push_back((a + b) / 2);
    }
    return found;
}

inline Number legendre(int s, Number x) {
    Number before = 1, now = x;
    for (int j = 2; j <= s; ++j) {
        const Number next = ((2 * j - 1) * x * now - (j - 1) * before) / j;
        before = now;
        now = next;
    }
    return now;
}

struct Derivatives {
    Number value, first, second;
};

/// w P with w(x) = (x - a)^2 + d^2 and P of degree n that is orthogonal to all lower degrees with the weight w^2/sqrt(1 - x^2). P is a sum of Chebyshev's polynomials, whose coefficients solve
/// the equations <P, T_j> = 0 for j < n: of Chebyshev's polynomials all integrals are known, as T_i T_j = (T_(i + j) + T_|i - j|)/2 and T_i alone has the integral 0, or pi for i = 0.
class OrthogonalPolynomial {
   public:
    OrthogonalPolynomial(int n, Number a, Number d) : a_(a), d_(d), coefficients_(static_cast<std::size_t>(n) + 1, 1) {
        const std::vector<Number> w = {Number{1} / 2 + a * a + d * d, -2 * a, Number{1} / 2};  // of T_0, T_1, T_2
        std::vector<Number> square(5);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                square[i + j] += w[i] * w[j] / 2;
                square[i > j ? i - j : j - i] += w[i] * w[j] / 2;
            }
        }
        const auto mean_beside = [&](int i) { return i > 4 ? 0 : i == 0 ? square[0] : square[static_cast<std::size_t>(i)] / 2; };
        const auto product = [&](int i, int j) { return (mean_beside(i + j) + mean_beside(std::abs(i - j))) / 2; };
        const auto size = static_cast<std::size_t>(n);
        std::vector<std::vector<Number>> rows(size, std::vector<Number>(size + 1));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= n; ++j) rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = product(i, j);
        }
        for (std::size_t k = 0; k < size; ++k) {  // Gauss's elimination of a symmetric positive matrix
            for (std::size_t i = k + 1; i < size; ++i) {
                const Number by = rows[i][k] / rows[k][k];
                for (std::size_t j = k; j <= size; ++j) rows[i][j] -= by * rows[k][j];
            }
        }
        for (std::size_t k = size; k-- > 0;) {
            Number sum = -rows[k][size];
            for (std::size_t j = k + 1; j < size; ++j) sum -= rows[k][j] * coefficients_[j];
            coefficients_[k] = sum / rows[k][k];
        }
    }

    Derivatives at(Number x) const {
        Derivatives sum{0, 0, 0}, before{1, 0, 0}, now{x, 1, 0};
        for (std::size_t k = 0; k < coefficients_.size(); ++k) {
            const Derivatives& t = k == 0 ? before : now;
            sum = {sum.value + coefficients_[k] * t.value, sum.first + coefficients_[k] * t.first,
                   sum.second + coefficients_[k] * t.second};
            if (k == 0) continue;
            const Derivatives next{2 * x * now.value - before.value, 2 * now.value + 2 * x * now.first - before.first,
                                   4 * now.first + 2 * x * now.second - before.second};
            before = now;
            now = next;
        }
        const Number w = (x - a_) * (x - a_) + d_ * d_, slope = 2 * (x - a_);
        return {w * sum.value, slope * sum.value + w * sum.first, 2 * sum.value + 2 * slope * sum.first + w * sum.second};
    }

    /// x_0 beyond 1, where the value is 1/0.8 of that at -1.
    Number end(Number s) const {
        const Number wanted = std::abs(at(-1).value) / Number{0.8L};
        Number low = 1, high = 1 + 32 / (s * s);
        for (int round = 0; round < 120; ++round) {
            const Number middle = (low + high) / 2;
            (at(middle).value < wanted ? low : high) = middle;
        }
        return (low + high) / 2;
    }

   private:
    Number a_, d_;
    std::vector<Number> coefficients_;
};

/// The lengths of sts2 with 5 stages or more.
inline std::vector<Number> lengths_of_second_order(int stages) {
    const Number s = stages, a = 1 - Number{2.5L} / (s * s);
    const auto off_order = [&](Number scaled) {  // R'' - R'^2 of R'^2
        const OrthogonalPolynomial polynomial(stages - 2, a, scaled / (s * s));
        const Derivatives there = polynomial.at(polynomial.end(s));
        return there.second * there.value / (there.first * there.first) - 1;
    };
    const std::vector<Number> scaled = sign_changes(off_order, 1, 8, 12);
    if (scaled.size() != 1) throw std::runtime_error("the condition of order 2 holds for no d, or for several");
    const OrthogonalPolynomial polynomial(stages - 2, a, scaled[0] / (s * s));
    const Number end = polynomial.end(s);
    const Derivatives there = polynomial.at(end);
    std::vector<Number> lengths;
    for (const Number x :
         sign_changes([&](Number at) { return polynomial.at(at).value / there.value - Number{0.4L}; }, -1 - 1 / (s * s), end, 40 * stages))
        lengths.push_back(there.value / (there.first * (end - x)));  // z = (x - end) R'(end), and the factor is 1 + length z
    return lengths;
}

}  // namespace factored

/// docs/numerics.md, "Super-time-stepping". `order`: 1 or 2. Throws: std::runtime_error (the polynomial has other than `stages` zeros).
inline FactoredStages factored_stages(int order, int stages) {
    const long double s = stages;
    FactoredStages made{{}, 1};
    std::vector<long double> lengths;
    if (order == 2 && stages >= 5) {
        made.weight = 0.6;
        lengths = factored::lengths_of_second_order(stages);
    } else {
        const long double scale = order == 1 ? 2 / (s * s + s) : 4 / (s * s + s - 2);
        if (order == 2) made.weight = static_cast<double>((s * s + s - 2) / (2 * s * (s + 1)));
        for (const long double x :
             factored::sign_changes([&](long double at) { return factored::legendre(stages, at); }, -1.001L, 1, 40 * stages))
            lengths.push_back(scale / (1 - x));
    }
    if (static_cast<int>(lengths.size()) != stages) throw std::runtime_error("a polynomial with other than as many zeros as stages");
    made.lengths.assign(lengths.begin(), lengths.end());
    std::sort(made.lengths.begin(), made.lengths.end());
    return made;
}

}  // namespace oracle
