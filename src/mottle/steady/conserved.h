// mottle/steady/conserved.h: the sums of fields over all cells that equations keep, and steps that keep them
#pragma once
#include "mottle/steady/direct_solver.h"

#include <span>
#include <vector>

namespace mottle::steady {

/// Finds c with sum over cells and fields of c_f m_i dF_fi/dy = 0 for every unknown: the equations keep the sum of c_f m_i y_fi.
/// Shape: each result has one entry per field, of length 1; weights one per unknown.
std::vector<std::vector<double>> conserved_sums(const SparseRows& jacobian, std::span<const double> weights, Index fields);

/// Solves for a step that keeps these sums: the system bordered by them, by elimination of the border.
class ConservingStep {
   public:
    ConservingStep(std::vector<std::vector<double>> sums, std::span<const double> weights) : sums_(std::move(sums)), weights_(weights) {}
    int count() const { return static_cast<int>(sums_.size()); }
    /// Takes the factor of this iteration.
    void prepare(const DirectSolver& solver);
    /// Replaces b by the step.
    void solve(const DirectSolver& solver, std::span<double> b) const;

   private:
    double sum(std::size_t k, std::span<const double> x) const;

    std::vector<std::vector<double>> sums_;
    std::span<const double> weights_;
    std::vector<std::vector<double>> columns_;  ///< solutions for a right side that is c_f everywhere
    std::vector<std::vector<double>> inverse_;  ///< of the small system
};

}  // namespace mottle::steady
