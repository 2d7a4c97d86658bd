// mottle/steady/direct_solver.cpp: Eigen's sparse factors and the signs of eigenvalues, for Newton's method
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_VECTORIZE  // the same bits on every processor
#define EIGEN_DONT_PARALLELIZE
#include "mottle/steady/direct_solver.h"

#include "mottle/core/cancellation.h"
#include "mottle/ir/stability/eigenvalues.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

namespace mottle::steady {
namespace {

using Place = std::int64_t;  // a factor may have more than 2^31 entries
using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Place>;
using Symmetric = Eigen::SimplicialLDLT<Matrix, Eigen::Lower>;

constexpr double kDifferences = 1e-7;  // of the diagonal: how exact entries are that differences have made
constexpr double kMargin = 1e-8;       // of the largest row sum

/// weight_i (shift - J)_ij.
Matrix assembled(const SparseRows& jacobian, std::span<const double> weights, double shift) {
    const Place count = jacobian.size();
    std::vector<Eigen::Triplet<double, Place>> entries;
    entries.reserve(jacobian.value.size());
    for (Place i = 0; i < count; ++i) {
        for (Index e = jacobian.first[core::at(i)]; e < jacobian.first[core::at(i + 1)]; ++e) {
            const Place j = jacobian.column[core::at(e)];
            entries.emplace_back(i, j, weights[core::at(i)] * ((i == j ? shift : 0) - jacobian.value[core::at(e)]));
        }
    }
    Matrix matrix(count, count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// Within what differences leave; `scale`: by row, of the diagonal.
bool is_symmetric(const Matrix& matrix) {
    Eigen::VectorXd scale = Eigen::VectorXd::Zero(matrix.rows());
    for (int column = 0; column < matrix.outerSize(); ++column) {
        for (Matrix::InnerIterator entry(matrix, column); entry; ++entry)
            scale[entry.row()] = std::max(scale[entry.row()], std::abs(entry.value()));
    }
    const Matrix transposed = matrix.transpose();
    const Matrix difference = matrix - transposed;
    for (int column = 0; column < difference.outerSize(); ++column) {
        for (Matrix::InnerIterator entry(difference, column); entry; ++entry) {
            if (!(std::abs(entry.value()) <= kDifferences * std::max(scale[entry.row()], scale[column]))) return false;
        }
    }
    return true;
}

Matrix symmetric_part(const Matrix& matrix) {
    const Matrix transposed = matrix.transpose();
    return 0.5 * (matrix + transposed);
}

/// A factor without pivots is one where none of them has vanished.
bool is_sound(const Symmetric& factor) {
    return factor.info() == Eigen::Success && factor.vectorD().allFinite() && factor.vectorD().cwiseAbs().minCoeff() > 0;
}

/// The factor of a matrix; it owns all that it needs.
struct Factor {
    explicit Factor(const Matrix& matrix) {
        if (is_symmetric(matrix)) {
            ldl = std::make_unique<Symmetric>(symmetric_part(matrix));
            if (is_sound(*ldl)) return;
        }
        ldl.reset();
        lu.compute(matrix);
    }
    bool exists() const { return ldl || lu.info() == Eigen::Success; }
    Eigen::VectorXd solution(const Eigen::VectorXd& right) const {
        return ldl ? Eigen::VectorXd(ldl->solve(right)) : Eigen::VectorXd(lu.solve(right));
    }

    std::unique_ptr<Symmetric> ldl;  ///< null: lu is the factor
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<Place>> lu;
};

class EigenSolver final : public DirectSolver {
   public:
    explicit EigenSolver(std::vector<double> weights) : weights_(std::move(weights)) {}

    // Of many unknowns this takes minutes, and Eigen cannot be stopped.
    bool factor(const SparseRows& jacobian, double shift) override {
        core::cancellation_point();
        factor_.reset();
        const auto matrix = std::make_shared<const Matrix>(assembled(jacobian, weights_, shift));
        factor_ = core::compute_or_abandon([matrix] { return std::make_shared<const Factor>(*matrix); });
        return factor_->exists();
    }

    void solve(std::span<double> b) const override {
        core::cancellation_point();
        Eigen::VectorXd right(static_cast<Eigen::Index>(b.size()));
        for (std::size_t i = 0; i < b.size(); ++i) right[static_cast<Eigen::Index>(i)] = weights_[i] * b[i];
        const Eigen::VectorXd solution = factor_->solution(right);
        std::copy(solution.begin(), solution.end(), b.begin());
    }

   private:
    const std::vector<double> weights_;
    std::shared_ptr<const Factor> factor_;
};

/// Eigenvalues above `bound`; nothing where the factor has no meaning.
std::optional<Index> count_above(const SparseRows& jacobian, std::span<const double> weights, double bound) {
    const Symmetric factor(symmetric_part(assembled(jacobian, weights, bound)));
    if (!is_sound(factor)) return std::nullopt;
    return (factor.vectorD().array() < 0).count();
}

/// count_directions, of what it is given alone.
std::optional<Directions> directions_of(const SparseRows& jacobian, std::span<const double> weights) {
    Directions found;
    found.margin = kMargin * jacobian.largest_row_sum();
    if (is_symmetric(assembled(jacobian, weights, 0))) {
        const std::optional<Index> above = count_above(jacobian, weights, found.margin);
        const std::optional<Index> with_neutral = count_above(jacobian, weights, -found.margin);
        if (above && with_neutral) {
            found.growing = *above;
            found.neutral = *with_neutral - *above;
            return found;
        }
    }
    if (jacobian.size() > kMostDense) return std::nullopt;
    const std::size_t count = core::at(jacobian.size());
    std::vector<std::vector<double>> dense(count, std::vector<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
        for (Index e = jacobian.first[i]; e < jacobian.first[i + 1]; ++e)
            dense[i][core::at(jacobian.column[core::at(e)])] += jacobian.value[core::at(e)];
    }
    for (const std::complex<double>& value : ir::eigenvalues_by_qr(std::move(dense))) {
        if (value.real() > found.margin)
            ++found.growing;
        else if (value.real() >= -found.margin)
            ++found.neutral;
    }
    return found;
}

}  // namespace

std::unique_ptr<DirectSolver> create_direct_solver(std::vector<double> weights) {
    return std::make_unique<EigenSolver>(std::move(weights));
}

std::optional<Directions> count_directions(const SparseRows& jacobian, std::span<const double> weights) {
    const auto rows = std::make_shared<const SparseRows>(jacobian);
    return core::compute_or_abandon(
        [rows, own = std::vector<double>(weights.begin(), weights.end())] { return directions_of(*rows, own); });
}

}  // namespace mottle::steady
