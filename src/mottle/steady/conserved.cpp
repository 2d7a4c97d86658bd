// mottle/steady/conserved.cpp: combinations of column sums that vanish, and the elimination of a border
#include "mottle/steady/conserved.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mottle::steady {
namespace {

constexpr double kVanishes = 1e-7;  // of the sums of absolute values: differences have made the entries

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void subtract(std::vector<double>& from, double times, const std::vector<double>& what) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * what[i];
}

/// Gauss and Jordan, with row pivots. A singular matrix gives entries that are not finite.
std::vector<std::vector<double>> inverted(std::vector<std::vector<double>> a) {
    const std::size_t n = a.size();
    std::vector<std::vector<double>> inverse(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i) pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
        std::swap(a[k], a[pivot]);
        std::swap(inverse[k], inverse[pivot]);
        const double by = 1 / a[k][k];
        for (double& entry : a[k]) entry *= by;
        for (double& entry : inverse[k]) entry *= by;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double times = a[i][k];
            subtract(a[i], times, a[k]);
            subtract(inverse[i], times, inverse[k]);
        }
    }
    return inverse;
}

}  // namespace

// Gram's and Schmidt's orthogonal rows, the largest first, with what they are made of.
std::vector<std::vector<double>> conserved_sums(const SparseRows& jacobian, std::span<const double> weights, Index fields) {
    const auto count = core::at(fields);
    std::vector<std::vector<double>> rows(count, std::vector<double>(weights.size())), made_of(count, std::vector<double>(count));
    std::vector<double> scale(count);
    {
        std::vector<std::vector<double>> absolute = rows;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            for (Index e = jacobian.first[i]; e < jacobian.first[i + 1]; ++e) {
                const auto column = core::at(jacobian.column[core::at(e)]);
                const double entry = weights[i] * jacobian.value[core::at(e)];
                rows[i % count][column] += entry;
                absolute[i % count][column] += std::abs(entry);
            }
        }
        for (std::size_t f = 0; f < count; ++f) {
            made_of[f][f] = 1;
            scale[f] = std::sqrt(dot(absolute[f], absolute[f]));
        }
    }
    std::vector<bool> used(count);
    while (true) {
        std::size_t largest = count;
        double most = 0;
        for (std::size_t f = 0; f < count; ++f) {
            const double size = std::sqrt(dot(rows[f], rows[f]));
            if (!used[f] && size > kVanishes * scale[f] && size > most) largest = f, most = size;
        }
        if (largest == count) break;
        used[largest] = true;
        for (std::size_t f = 0; f < count; ++f) {
            if (used[f]) continue;
            const double times = dot(rows[f], rows[largest]) / (most * most);
            subtract(rows[f], times, rows[largest]);
            subtract(made_of[f], times, made_of[largest]);
            scale[f] = std::max(scale[f], std::abs(times) * scale[largest]);
        }
    }
    std::vector<std::vector<double>> sums;
    for (std::size_t f = 0; f < count; ++f) {
        if (used[f]) continue;
        const double length = std::sqrt(dot(made_of[f], made_of[f]));
        for (double& share : made_of[f]) share /= length;
        sums.push_back(made_of[f]);
    }
    return sums;
}

double ConservingStep::sum(std::size_t k, std::span<const double> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += sums_[k][i % sums_[k].size()] * weights_[i] * x[i];
    return sum;
}

void ConservingStep::prepare(const DirectSolver& solver) {
    columns_.clear();
    for (const std::vector<double>& shares : sums_) {
        std::vector<double> column(weights_.size());
        for (std::size_t i = 0; i < column.size(); ++i) column[i] = shares[i % shares.size()];
        solver.solve(column);
        columns_.push_back(std::move(column));
    }
    std::vector<std::vector<double>> matrix(columns_.size(), std::vector<double>(columns_.size()));
    for (std::size_t k = 0; k < matrix.size(); ++k) {
        for (std::size_t l = 0; l < matrix.size(); ++l) matrix[k][l] = sum(k, columns_[l]);
    }
    inverse_ = inverted(std::move(matrix));
}

void ConservingStep::solve(const DirectSolver& solver, std::span<double> b) const {
    solver.solve(b);
    std::vector<double> too_much(sums_.size());
    for (std::size_t k = 0; k < sums_.size(); ++k) too_much[k] = sum(k, b);
    for (std::size_t l = 0; l < sums_.size(); ++l) {
        double times = 0;
        for (std::size_t k = 0; k < sums_.size(); ++k) times += inverse_[l][k] * too_much[k];
        for (std::size_t i = 0; i < b.size(); ++i) b[i] -= times * columns_[l][i];
    }
}

}  // namespace mottle::steady
