// mottle/backend/cell_sum.h: exact sums of many cells in one pass, for arrays that are summed in every step
#pragma once
#include "mottle/backend/reduce.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace mottle::backend {

/// What one thread adds up: sums of the parts into which ExactSum splits its terms, and how large the largest cell is.
class CellSum {
   public:
    explicit CellSum(const ExactSum& sum);
    /// Cells anywhere in the field, each once, and a few that stand elsewhere; zeros count for nothing.
    void add(std::span<const float> cells, std::span<const float> few = {});
    void add(std::span<const double> cells, std::span<const double> few = {});
    /// Times these weights, which are not below 0.
    void add_weighted(std::span<const double> cells, std::span<const double> weights);

    /// Infinity or NaN, if some cell is not finite.
    double largest() const;
    void add_to(ExactSum& sum) const;

    static constexpr std::size_t kLanes = 8;
    struct Parts {
        double magic[3];
        alignas(64) double sums[3][kLanes] = {};
        std::uint64_t largest = 0;         ///< bits of the largest magnitude; of f32 cells those of a float
        std::uint64_t whole_from[2] = {};  ///< cells of at least this magnitude (bits) have no second part, or no third
        bool plain = true;                 ///< so far all cells were above 0 and had one part
    };

   private:
    Parts narrow_, wide_;  ///< of f32 and f64 cells
};

/// How the terms of a sum are split if 2^exponent is just above the largest.
struct SumSplit {
    std::size_t array;
    int exponent;
    ExactSum sum;  ///< of nothing yet
};

/// The sums of the arrays of a kernel. How a sum is split depends on the largest cell, which is guessed to be about that of the last time: then one pass
/// finds both, and another guess costs another pass. The bits are those of Statistics::sum.
class CellSums {
   public:
    /// For shares of the next sum of `array`, of `count` cells.
    SumSplit guess(std::size_t array, Index count);
    /// The sum of shares that were split as guessed, here or for another kernel; none, if the guess was wrong. The next will be right for this sum.
    std::optional<double> sum_of(const SumSplit& split, Index count, double heaviest, std::span<const CellSum> shares);
    /// The same of shares that somebody has added up: `largest` is the largest magnitude of a cell, `parts` those of ExactSum.
    std::optional<double> sum_of(const SumSplit& split, Index count, double heaviest, double largest, std::span<const double, 3> parts);
    /// `add` has `sum` take the share of one worker of `team`. `heaviest`: the largest weight.
    double sum(std::size_t array, Index count, double heaviest, core::ThreadTeam& team,
               const std::function<void(int worker, CellSum& sum)>& add);

   private:
    int& exponent(std::size_t array);

    std::vector<int> exponents_;  ///< by array: 2^exponent is above the largest term
};

}  // namespace mottle::backend
