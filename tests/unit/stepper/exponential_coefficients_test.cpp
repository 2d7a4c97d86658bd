// tests/unit/stepper/exponential_coefficients_test.cpp: coefficients of ETDRK4 against means over contours in long double
#include "mottle/stepper/spectral/etd_stage.h"
#include "mottle/stepper/spectral/exponential_coefficients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace mottle::stepper {
namespace exponential_coefficients_test {

using Complex = std::complex<long double>;

/// The mean of f over a circle around z, on which nothing cancels. Source: Kassam & Trefethen 2005, SIAM J. Sci. Comput. 26, 1214.
template <class Function>
double contour_mean(double z, Function f) {
    constexpr int kPoints = 64;
    Complex sum = 0;
    for (int k = 0; k < kPoints; ++k)
        sum += f(static_cast<long double>(z) + std::polar(1.0L, std::numbers::pi_v<long double> * 2 * (k + 0.5L) / kPoints));
    return static_cast<double>(sum.real() / kPoints);
}

TEST(EtdTables, AgainstMeansOverContours) {
    std::vector<double> z = {0, 1e-12, -1e-12, -1e-6, 0.5, -0.5, 0.999, -0.999, 1, -1, 1.001, -1.001, 2, -2, 2.001, 7, -7, -30, -200, -5e3};
    const double h = 0.25;
    EtdTables tables;
    tables.fill(z, h, 3);
    for (std::size_t i = 0; i < z.size(); ++i) {
        const auto expect = [&](EtdCoefficient which, double expected) {
            EXPECT_NEAR(tables.of(which)[i], expected, 1e-14 * std::max(std::abs(expected), h))
                << static_cast<int>(which) << " of " << z[i];
        };
        expect(EtdCoefficient::half, std::exp(z[i] / 2));
        expect(EtdCoefficient::whole, std::exp(z[i]));
        expect(EtdCoefficient::reach, h * contour_mean(z[i], [](Complex s) { return (std::exp(s / 2.0L) - 1.0L) / s; }));
        expect(EtdCoefficient::first,
               h * contour_mean(z[i], [](Complex s) { return (-4.0L - s + std::exp(s) * (4.0L - 3.0L * s + s * s)) / (s * s * s); }));
        expect(EtdCoefficient::middle,
               2 * h * contour_mean(z[i], [](Complex s) { return (2.0L + s + std::exp(s) * (-2.0L + s)) / (s * s * s); }));
        expect(EtdCoefficient::last,
               h * contour_mean(z[i], [](Complex s) { return (-4.0L - 3.0L * s - s * s + std::exp(s) * (4.0L - s)) / (s * s * s); }));
    }
    for (std::size_t i = z.size(); i < z.size() + 3; ++i) EXPECT_EQ(tables.of(EtdCoefficient::last)[i], 0);
}

TEST(EtdStage, TheSameBitsAtEveryLevel) {
    constexpr std::size_t kWaves = 37;
    const auto numbers = [](double phase) {
        std::vector<double> made(kWaves);
        for (std::size_t i = 0; i < kWaves; ++i) made[i] = std::sin(phase + 1.3 * static_cast<double>(i));
        return made;
    };
    std::vector<std::vector<double>> tables, ends;
    for (int i = 0; i < 6; ++i) tables.push_back(numbers(i));
    for (const core::VectorLevel level : {core::VectorLevel::portable, core::VectorLevel::avx2, core::VectorLevel::avx512}) {
        if (level > core::widest_level()) continue;
        std::vector<double> values = numbers(7), start = numbers(8), first(kWaves), predicted(kWaves);
        for (int stage = 0; stage < 4; ++stage) {
            run_etd_stage(stage,
                          {tables[0].data(), tables[1].data(), tables[2].data(), tables[3].data(), tables[4].data(), tables[5].data(),
                           values.data(), start.data(), first.data(), predicted.data()},
                          kWaves, level);
        }
        ends.push_back(values);
        EXPECT_EQ(ends.back(), ends.front());
    }
    EXPECT_NE(ends.front(), numbers(7));
}

}  // namespace exponential_coefficients_test
}  // namespace mottle::stepper
