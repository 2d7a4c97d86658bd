// tests/oracle/language/dense.h: full matrices: Gauss's elimination, Jacobi's eigenvalues, and the functions phi of exponential methods; includes nothing of Mottle
#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace language {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

/// A matrix as the product of a lower and an upper triangle, rows exchanged for the largest pivots (Gauss).
class Eliminated {
   public:
    explicit Eliminated(Matrix a) : rows_(std::move(a)), place_(rows_.size()) {
        const std::size_t n = rows_.size();
        for (std::size_t i = 0; i < n; ++i) place_[i] = i;
        for (std::size_t k = 0; k < n; ++k) {
            std::size_t pivot = k;
            for (std::size_t i = k; i < n; ++i) pivot = std::abs(rows_[i][k]) > std::abs(rows_[pivot][k]) ? i : pivot;
            std::swap(rows_[k], rows_[pivot]);
            std::swap(place_[k], place_[pivot]);
            for (std::size_t i = k + 1; i < n; ++i) {
                if (rows_[i][k] == 0) continue;
                const double by = rows_[i][k] /= rows_[k][k];
                for (std::size_t j = k + 1; j < n; ++j) rows_[i][j] -= by * rows_[k][j];
            }
        }
    }
    Row solve(const Row& b) const {
        const std::size_t n = rows_.size();
        Row x(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = b[place_[i]];
            for (std::size_t j = 0; j < i; ++j) x[i] -= rows_[i][j] * x[j];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = i + 1; j < n; ++j) x[i] -= rows_[i][j] * x[j];
            x[i] /= rows_[i][i];
        }
        return x;
    }

   private:
    Matrix rows_;
    std::vector<std::size_t> place_;
};

/// A symmetric matrix as V diag(values) V^T, by Jacobi's rotations.
struct SymmetricMatrix {
    Row values;
    Matrix vectors;  ///< by value

    explicit SymmetricMatrix(Matrix a) : values(a.size()), vectors(a.size(), Row(a.size())) {
        const std::size_t n = a.size();
        for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1;
        for (int sweep = 0; sweep < 30; ++sweep) {
            double off = 0, all = 0;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    all += a[i][j] * a[i][j];
                    if (i != j) off += a[i][j] * a[i][j];
                }
            }
            if (off <= 1e-34 * all) break;
            for (std::size_t p = 0; p < n; ++p) {
                for (std::size_t q = p + 1; q < n; ++q) rotate(a, p, q);
            }
        }
        for (std::size_t i = 0; i < n; ++i) values[i] = a[i][i];
    }

    /// V diag(factors) V^T v: f(A) v for `factors` f(values).
    Row apply(const Row& factors, const Row& v) const {
        Row sum(v.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            double part = 0;
            for (std::size_t i = 0; i < v.size(); ++i) part += vectors[k][i] * v[i];
            part *= factors[k];
            for (std::size_t i = 0; i < v.size(); ++i) sum[i] += part * vectors[k][i];
        }
        return sum;
    }

   private:
    void rotate(Matrix& a, std::size_t p, std::size_t q) {
        if (std::abs(a[p][q]) <= 1e-20 * (std::abs(a[p][p]) + std::abs(a[q][q]))) return;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1)), c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto turn = [&](double& x, double& y) {
            const double old = x;
            x = c * old - s * y;
            y = s * old + c * y;
        };
        for (std::size_t i = 0; i < a.size(); ++i) turn(a[i][p], a[i][q]);
        for (std::size_t i = 0; i < a.size(); ++i) turn(a[p][i], a[q][i]);
        for (std::size_t i = 0; i < a.size(); ++i) turn(vectors[p][i], vectors[q][i]);
    }
};

/// phi_k(z) = integral over theta from 0 to 1 of e^((1 - theta) z) theta^(k - 1)/(k - 1)!, by Gauss's quadrature with nodes from Newton's method; phi_0 = e^z.
inline double phi(int k, double z) {
    if (k == 0) return std::exp(z);
    constexpr int kNodes = 48;
    struct Place {
        long double at, weight;
    };
    static const std::vector<Place> nodes = [] {
        std::vector<Place> made;
        for (int i = 0; i < kNodes; ++i) {
            long double x = std::cos(std::acos(-1.0L) * (i + 0.75L) / (kNodes + 0.5L)), slope = 0;
            for (int round = 0; round < 20; ++round) {
                long double before = 1, now = x;
                for (int j = 2; j <= kNodes; ++j) {
                    const long double next = ((2 * j - 1) * x * now - (j - 1) * before) / j;
                    before = now;
                    now = next;
                }
                slope = kNodes * (x * now - before) / (x * x - 1);
                x -= now / slope;
            }
            made.push_back({(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)});
        }
        return made;
    }();
    long double sum = 0;
    for (const Place& node : nodes)
        sum += node.weight * std::exp((1 - node.at) * z) * (k == 1 ? 1 : k == 2 ? node.at : node.at * node.at / 2);
    return static_cast<double>(sum);
}

}  // namespace language
