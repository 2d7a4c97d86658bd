// mottle/ir/stability/favoured_wave.cpp: growth rates over wave numbers, and where they are greatest
#include "mottle/ir/stability/favoured_wave.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/stability/eigenvalues.h"
#include "mottle/ir/stability/wave_scales.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mottle::ir {
namespace {

/// The equations linearised about one uniform state.
class Linearised {
   public:
    Linearised(const model::Model& model, const domain::Domain& domain, const std::vector<double>& fields) : scales_(wave_scales(domain)) {
        scales_.time = point(0);
        Box box;
        for (const double value : fields) box.push_back(point(value));
        for (const model::Equation& equation : model.equations) waves_.push_back(linearise(*equation.rate, model, scales_, box));
    }

    double stiffest() const { return scales_.laplacian; }
    /// For the wave of share `s` of the stiffest. Not finite where a rate is not known.
    std::vector<std::complex<double>> rates(double s) const {
        const std::size_t n = waves_.size();
        std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                double power = 1;
                for (const Interval& term : waves_[a][b].powers) {
                    matrix[a][b] += 0.5 * (term.lo + term.hi) * power;
                    power *= s;
                }
                if (!std::isfinite(matrix[a][b])) return {};
            }
        }
        return eigenvalues(matrix);
    }
    double growth(double s) const {
        double most = -INFINITY;
        for (const std::complex<double>& rate : rates(s)) most = std::max(most, rate.real());
        return most;
    }

   private:
    WaveScales scales_;
    std::vector<std::vector<Wave>> waves_;
};

}  // namespace

std::vector<std::vector<double>> jacobian(const model::Model& model, const std::vector<double>& fields, double wave_number) {
    if (fields.size() != model.equations.size())
        throw core::InputError(std::to_string(fields.size()) + " values for the " + std::to_string(model.equations.size()) +
                               " fields of the model");
    WaveScales scales;
    scales.laplacian = scales.divergence = wave_number * wave_number;
    scales.time = point(0);
    scales.place.fill(entire());
    Box box;
    for (const double value : fields) {
        if (!std::isfinite(value)) throw core::InputError("a uniform state of " + core::number_text(value) + " is not finite");
        box.push_back(point(value));
    }
    std::vector<std::vector<double>> matrix;
    for (const model::Equation& equation : model.equations) {
        std::vector<double>& row = matrix.emplace_back();
        for (const Wave& wave : linearise(*equation.rate, model, scales, box)) {
            double entry = 0;
            for (const Interval& term : wave.powers) entry += term.is_point() ? term.lo : std::nan("");
            row.push_back(entry);
        }
    }
    return matrix;
}

double fastest_reaction(const model::Model& model, const domain::Domain& domain, const std::vector<double>& fields) {
    double fastest = 0;
    for (const std::complex<double>& rate : Linearised(model, domain, fields).rates(0)) fastest = std::max(fastest, std::abs(rate));
    return fastest;
}

std::optional<double> favoured_wavelength(const model::Model& model, const domain::Domain& domain, const std::vector<double>& fields) {
    const Linearised linearised(model, domain, fields);
    if (!(linearised.stiffest() > 0) || !std::isfinite(linearised.stiffest())) return std::nullopt;
    // logarithmic steps of 2 %, from waves a hundred thousand times longer than the stiffest
    constexpr int kShares = 1200;
    constexpr double kStep = 1.02, kDistinct = 1e-6, kPrecise = 1e-4;
    std::vector<double> growth;
    double s = std::pow(kStep, -kShares);
    for (int i = 0; i <= kShares; ++i, s *= kStep) growth.push_back(linearised.growth(s));
    const auto best = std::max_element(growth.begin(), growth.end());
    const auto i = best - growth.begin();
    const double uniform = linearised.growth(0);
    if (!(*best > 0) || i == 0 || i == kShares || !(*best > uniform + kDistinct * std::abs(*best))) return std::nullopt;
    // golden sections of the logarithm between the steps beside the best
    double lo = static_cast<double>(i - 1 - kShares), hi = static_cast<double>(i + 1 - kShares);
    const auto at = [&](double power) { return linearised.growth(std::pow(kStep, power)); };
    while (hi - lo > kPrecise) {
        const double third = (hi - lo) / std::numbers::phi, below = hi - third, above = lo + third;
        at(below) > at(above) ? hi = above : lo = below;
    }
    return 2 * std::numbers::pi / std::sqrt(linearised.stiffest() * std::pow(kStep, 0.5 * (lo + hi)));
}

}  // namespace mottle::ir
