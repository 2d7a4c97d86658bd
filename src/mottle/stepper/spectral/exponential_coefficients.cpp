// mottle/stepper/spectral/exponential_coefficients.cpp: exponentials of waves and the functions phi of ETDRK4, the same bits on every machine
#include "mottle/stepper/spectral/exponential_coefficients.h"

#include "mottle/ir/functions/functions.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cmath>

namespace mottle::stepper {
namespace {

using core::Index;

constexpr Index kAtOnce = 256;  // exponentials

/// exp of each, by the function of the equations.
void exponentials(std::span<const double> z, double factor, std::span<double> out) {
    ir::Builder b(true);
    const ir::Value result = ir::exp(b, b.load(0));
    const ir::Code code = b.code_of(result);
    ir::RowEvaluator<double> evaluator(static_cast<int>(kAtOnce));
    for (Index begin = 0; begin < std::ssize(z); begin += kAtOnce) {
        const Index count = std::min(kAtOnce, std::ssize(z) - begin);
        evaluator.run(
            code, [](int) { return 0.0; },
            [&](const ir::Instruction&, std::span<double> cells) {
                std::fill(cells.begin(), cells.end(), 0.0);
                for (Index i = 0; i < count; ++i) cells[core::at(i)] = factor * z[core::at(begin + i)];
            });
        std::copy_n(evaluator.value(static_cast<ir::Value>(code.size()) - 1).begin(), count, out.begin() + begin);
    }
}

constexpr std::size_t kTerms = 18;  // 1/21! is below a rounding of 1/6
/// 1/(j + 3)!
constexpr std::array<double, kTerms> kReciprocals = [] {
    std::array<double, kTerms> reciprocals{};
    double factorial = 2;
    for (std::size_t j = 0; j < kTerms; ++j) {
        factorial *= static_cast<double>(j + 3);
        reciprocals[j] = 1 / factorial;
    }
    return reciprocals;
}();

/// phi_1, phi_2, phi_3, which are 1, 1/2 and 1/6 at 0.
std::array<double, 3> phi_functions(double z, double exponential) {
    if (std::abs(z) < 1) {
        double third = 0;
        for (std::size_t j = kTerms; j-- > 0;) third = third * z + kReciprocals[j];
        const double second = z * third + 0.5;
        return {z * second + 1, second, third};
    }
    const double first = (exponential - 1) / z, second = (first - 1) / z;
    return {first, second, (second - 0.5) / z};
}

}  // namespace

void EtdTables::fill(std::span<const double> z, double h, Index padding) {
    for (std::vector<double>& table : tables_) table.assign(z.size() + core::at(padding), 0);
    const auto table = [&](EtdCoefficient which) { return std::span(tables_[static_cast<std::size_t>(which)]).first(z.size()); };
    const std::span<double> half = table(EtdCoefficient::half), whole = table(EtdCoefficient::whole);
    exponentials(z, 0.5, half);
    exponentials(z, 1, whole);
    for (std::size_t i = 0; i < z.size(); ++i) {
        const auto [one, two, three] = phi_functions(z[i], whole[i]);
        table(EtdCoefficient::reach)[i] = 0.5 * h * phi_functions(0.5 * z[i], half[i])[0];
        table(EtdCoefficient::first)[i] = h * ((one - 3 * two) + 4 * three);
        table(EtdCoefficient::middle)[i] = h * (2 * two - 4 * three);
        table(EtdCoefficient::last)[i] = h * (4 * three - two);
    }
}

}  // namespace mottle::stepper
