// mottle/backend/reduce.h: statistics of a field whose sums are exact in any order
#pragma once
#include "mottle/domain/domain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace mottle::backend {

using core::Index;

/// The least of what a look at a field can cost: no sums.
struct Range {
    double min = 0, max = 0;
    Index first_bad = -1;  ///< lowest index of a cell that is not finite; -1: none. With a bad cell the other numbers are NaN.
};

struct Statistics {
    double min = 0, max = 0;
    double sum = 0, mean = 0;  ///< with weights: the exact sum of weight * x, and that by the sum of weights
    double std = 0;            ///< population standard deviation: sqrt(exact sum of weight * (x - mean)^2 / sum of weights)
    Index count = 0;
    Index first_bad = -1;  ///< lowest index of a cell that is not finite; -1: none. With a bad cell the other numbers are NaN.
};

/// A sum whose bits depend on the set of numbers alone, not on their order (docs/numerics.md, "Exact sums").
/// Two passes: the bound of the absolute values and the count first, then the numbers.
class ExactSum {
   public:
    /// `bound` >= every |x|, `count` >= the number of terms.
    ExactSum(double bound, Index count);
    /// A share of another sum, with its magic numbers.
    explicit ExactSum(std::span<const double, 3> magic) { std::copy_n(magic.begin(), magic_.size(), magic_.begin()); }
    void add(std::span<const double> values);
    void merge(const ExactSum& other);
    double value() const;

    /// For sums that are formed elsewhere: each term x is split into three, part_k = (x + magic_k) - magic_k, x -= part_k for k = 0, 1, 2. Sums of each
    /// kind of part are exact in any order; add_parts takes such sums.
    std::span<const double, 3> magic() const { return magic_; }
    void add_parts(std::span<const double, 3> parts);
    /// What has been added so far, for add_parts of another sum with the same magic numbers.
    std::span<const double, 3> parts() const { return parts_; }

   private:
    std::array<double, 3> magic_{};
    std::array<double, 3> parts_{};
    bool valid_ = true;
};

/// Fills `cells` with row `row` of a field; called from several threads.
template <class Real>
using RowReader = std::function<void(Index row, std::span<Real> cells)>;

/// Looks at `rows` rows of `length` cells on all threads of `team`. The same bits for any number of threads; Real is float or double.
/// `weights` > 0, one per cell; empty: all 1.
template <class Real>
Range range_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team);
template <class Real>
Statistics statistics_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team,
                              std::span<const double> weights = {});

/// The exact sum of all cells, times their weights; NaN with a bad cell. The bits of Statistics::sum.
template <class Real>
double sum_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team, std::span<const double> weights = {});

/// What sums of `count` cells are divided by for a mean: that number, or the exact sum of their weights.
double whole_of(Index count, std::span<const double> weights);

/// The sum of `count` cells that the caller forms: `add` adds every cell, times its weight.
double sum_of(const Range& range, Index count, std::span<const double> weights, const std::function<void(ExactSum& sum)>& add);
/// Statistics of `count` cells whose sums are formed by the caller: `add` adds every cell x, or (x - mean)^2 if `squares`, times its weight.
Statistics statistics_of(const Range& range, Index count, std::span<const double> weights,
                         const std::function<void(double mean, bool squares, ExactSum& sum)>& add);

}  // namespace mottle::backend
