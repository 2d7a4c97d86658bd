// mottle/ir/stability/local_stability.cpp: whether a time step suits the state of one cell
#include "mottle/ir/stability/local_stability.h"

#include "mottle/core/cancellation.h"
#include "mottle/ir/stability/eigenvalues.h"

#include <algorithm>

namespace mottle::ir {

namespace {

constexpr int kShares = 8;       // of the stiffest wave; 0 is the reaction alone
constexpr double kHardly = 0.1;  // of its decay does a wave turn that is taken for one that decays alone

/// The end next to 0, or 0: what is not known is not blamed.
double least(Interval term) { return term.contains(0) ? 0 : term.lo > 0 ? term.lo : term.hi; }

}  // namespace

LocalStability::LocalStability(const model::Model& model, const Method& method, const domain::Domain& domain)
    : model_(model), polynomial_(method), scales_(wave_scales(domain)) {}

StiffWave LocalStability::at(const CellState& cell, double dt) {
    scales_.time = point(cell.time);
    scales_.maps.clear();
    for (const auto& [name, value] : cell.maps) scales_.maps.emplace_back(name, point(value));
    Box box;
    for (const double value : cell.fields) box.push_back(point(value));
    const std::size_t n = box.size();
    std::vector<std::vector<Wave>> waves;
    Drift drift;
    for (const model::Equation& equation : model_.equations) {
        waves.push_back(linearise(*equation.rate, model_, scales_, box));
        const Drift own = drift_of(waves.back()[waves.size() - 1], scales_);
        drift = {std::max(drift.speed, own.speed), std::max(drift.most, own.most)};
    }
    StiffWave stiffest{0, 0, kInfinity};
    for (int share = 0; share <= kShares; ++share) {
        core::cancellation_point();
        const double s = static_cast<double>(share) / kShares;
        std::vector<std::vector<double>> decay(n, std::vector<double>(n));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                double power = 1;
                for (const Interval& term : waves[a][b].powers) {
                    decay[a][b] -= least(term) * power;
                    power *= s;
                }
            }
        }
        for (const std::complex<double>& value : eigenvalues(decay)) {
            if (!(value.real() > 0)) continue;
            const std::complex<double> rate(value.real(), std::abs(value.imag()) + turning(drift, s, scales_));
            const double growth = std::abs(polynomial_(-dt * rate));
            stiffest.growth = std::max(stiffest.growth, growth);
            if (rate.imag() < kHardly * rate.real()) stiffest.swing = std::max(stiffest.swing, growth);
            if (growth > 1) stiffest.longest = std::min(stiffest.longest, polynomial_.longest_step(rate));
        }
    }
    return stiffest;
}

}  // namespace mottle::ir
