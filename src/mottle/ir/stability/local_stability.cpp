// mottle/ir/stability/local_stability.cpp: whether a time step suits the state of one cell
#include "mottle/ir/stability/local_stability.h"

#include "mottle/core/cancellation.h"
#include "mottle/ir/stability/eigenvalues.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mottle::ir {

namespace {

constexpr int kShares = 8;             // of the stiffest wave; 0 is the reaction alone
constexpr int kOctaves = 20;           // of shares: a pattern may be a thousand times as long as a cell
constexpr std::size_t kFewFields = 8;  // of more fields, whose eigenvalues take long, only every fourth octave counts
constexpr double kWrong = 4;           // times the error of a decay that is right enough
constexpr double kHardly = 0.1;        // of its decay does a wave turn that is taken for one that decays alone

/// The end next to 0, or 0: what is not known is not blamed.
double least(Interval term) { return term.contains(0) ? 0 : term.lo > 0 ? term.lo : term.hi; }

}  // namespace

LocalStability::LocalStability(const model::Model& model, const Method& method, const domain::Domain& domain)
    : model_(model), polynomial_(method), scales_(wave_scales(domain)) {}

LocalStability::Linearised LocalStability::linearise_at(const CellState& cell) {
    scales_.time = point(cell.time);
    scales_.maps.clear();
    for (const auto& [name, value] : cell.maps) scales_.maps.emplace_back(name, point(value));
    Box box;
    for (const double value : cell.fields) box.push_back(point(value));
    Linearised made;
    for (const model::Equation& equation : model_.equations) {
        made.waves.push_back(linearise(*equation.rate, model_, scales_, box));
        const Drift own = drift_of(made.waves.back()[made.waves.size() - 1], scales_);
        made.drift = {std::max(made.drift.speed, own.speed), std::max(made.drift.most, own.most)};
    }
    return made;
}

template <class Take>
void LocalStability::each_rate(const CellState& cell, std::span<const double> shares, Take take) {
    const Linearised here = linearise_at(cell);
    const std::size_t n = here.waves.size();
    for (const double s : shares) {
        core::cancellation_point();
        std::vector<std::vector<double>> decay(n, std::vector<double>(n));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                double power = 1;
                for (const Interval& term : here.waves[a][b].powers) {
                    decay[a][b] -= least(term) * power;
                    power *= s;
                }
            }
        }
        for (const std::complex<double>& value : eigenvalues(decay))
            take(std::complex<double>(value.real(), std::abs(value.imag()) + turning(here.drift, s, scales_)), s);
    }
}

StiffWave LocalStability::at(const CellState& cell, double dt) {
    std::array<double, kShares + 1> shares{};
    for (int i = 0; i <= kShares; ++i) shares[static_cast<std::size_t>(i)] = static_cast<double>(i) / kShares;
    StiffWave stiffest{0, 0, kInfinity};
    each_rate(cell, shares, [&](const std::complex<double>& rate, double) {
        if (!(rate.real() > 0)) return;
        const double growth = std::abs(polynomial_(-dt * rate));
        stiffest.growth = std::max(stiffest.growth, growth);
        if (rate.imag() < kHardly * rate.real()) stiffest.swing = std::max(stiffest.swing, growth);
        if (growth > 1) stiffest.longest = std::min(stiffest.longest, polynomial_.longest_step(rate));
    });
    return stiffest;
}

CellRates LocalStability::rates_at(const CellState& cell, double dt, double stiffest) {
    std::vector<double> shares{0};
    for (int i = cell.fields.size() > kFewFields ? 4 : 1; i <= kOctaves; i += cell.fields.size() > kFewFields ? 4 : 1)
        shares.push_back(std::min(stiffest, std::ldexp(1.0, i - kOctaves)));
    CellRates rates;
    each_rate(cell, shares, [&](const std::complex<double>& rate, double share) {
        const bool grows = rate.real() < 0;
        if (share == 0) rates.fastest = std::max(rates.fastest, std::abs(rate));
        if (grows) rates.growth = std::max(rates.growth, -rate.real());
        // Euler's steps add dt w^2/2 to the growth of what turns by w
        if (rate.real() < kWrong * 0.5 * dt * rate.imag() * rate.imag()) rates.turning = std::max(rates.turning, rate.imag());
    });
    rates.fastest = std::max(rates.fastest, rates.growth);
    return rates;
}

}  // namespace mottle::ir
