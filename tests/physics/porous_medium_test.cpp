// tests/physics/porous_medium_test.cpp: lap(u^2) between borders of given values: at rest u^2 is a straight line, whatever else Mottle and its oracles agree on
#include "oracle/mottle_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace oracle {
namespace porous_medium_test {

/// The greatest error on n cells of a length of 1, once u stands still.
double error_of(const std::string& left, const std::string& right, double lo, double hi, int n) {
    const std::string text = "[equations]\nu = \"lap(u^2)\"\n[initial]\nu = 1.5\n[fields]\nu = { range = [0, 3] }\n";
    const double h = 1.0 / n, dt = 0.08 * h * h;
    const std::string settings = "size = \"" + std::to_string(n) + "\"\nspacing = \"" + std::to_string(h) + "\"\nboundary = { left = \"" +
                                 left + "\", right = \"" + right + "\" }\ndt = " + std::to_string(dt) + "\n";
    const Outcome outcome = run_mottle(text, "", settings, static_cast<int>(4 / dt));
    double error = 0;
    for (int i = 0; i < n; ++i) {
        const double exact = std::sqrt(lo + (hi - lo) * (i + 0.5) / n);
        error = std::max(error, std::abs(outcome.end[0][static_cast<std::size_t>(i)] - exact));
    }
    return error;
}

TEST(PorousMedium, ValuesOfBordersAreThoseOfTheSquare) {
    const double coarse = error_of("value(1)", "value(2)", 1, 4, 8), fine = error_of("value(1)", "value(2)", 1, 4, 16);
    EXPECT_LT(fine, 2e-3);
    EXPECT_GT(std::log2(coarse / fine), 1.7) << coarse << ", " << fine;
}

// d(u^2)/dn = 2 u g: at rest u^2 runs from 1 to 4 with the slope 3 = 2 u g, and u = 2 on the right, so g = 0.75.
TEST(PorousMedium, SlopesOfBordersAreThoseOfTheField) {
    const double coarse = error_of("value(1)", "flux(0.75)", 1, 4, 8), fine = error_of("value(1)", "flux(0.75)", 1, 4, 16);
    EXPECT_LT(fine, 5e-3);
    EXPECT_GT(std::log2(coarse / fine), 1.7) << coarse << ", " << fine;
}

}  // namespace porous_medium_test
}  // namespace oracle
