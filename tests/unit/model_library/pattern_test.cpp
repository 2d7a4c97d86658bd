// tests/unit/model_library/pattern_test.cpp: the measures of the preset tests, on fields whose answers are known
#include "unit/model_library/pattern.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pattern {
namespace pattern_test {

const double kPi = std::acos(-1.0);

template <class Function>
Field make(int n, Function function) {
    Field field{n, n, {}};
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) field.cells.push_back(function(x, y));
    }
    return field;
}

TEST(Pattern, WavelengthOfPlaneWaves) {
    EXPECT_NEAR(wavelength(make(128, [](int x, int) { return 3 + std::sin(2 * kPi * x / 16); })), 16, 0.3);
    EXPECT_NEAR(wavelength(make(128, [](int x, int y) { return std::sin(2 * kPi * (8 * x + 6 * y) / 128); })), 12.8, 0.3);
    // The stronger of two waves decides.
    EXPECT_NEAR(wavelength(make(128, [](int x, int y) { return std::sin(2 * kPi * x / 8) + 0.5 * std::sin(2 * kPi * y / 32); })), 8, 0.3);
}

TEST(Pattern, RegionsAreWrapped) {
    // A disc in the middle and one on the corner, which is in four pieces without wrapping.
    const Field field = make(64, [](int x, int y) {
        auto disc = [&](int cx, int cy) {
            const int dx = std::min(std::abs(x - cx), 64 - std::abs(x - cx)), dy = std::min(std::abs(y - cy), 64 - std::abs(y - cy));
            return dx * dx + dy * dy < 30;
        };
        return disc(32, 32) || disc(0, 0) ? 1.0 : 0.0;
    });
    EXPECT_EQ(count_regions(field, 0.5, true), 2);
    EXPECT_EQ(count_regions(field, 0.5, false), 1);
}

TEST(Pattern, SymmetryCoverageAndMoments) {
    const Field even = make(64, [](int x, int) { return std::abs(x - 31.5); });
    const Field skew = make(64, [](int x, int y) { return std::sin(0.2 * x) + std::sin(0.35 * y + 0.1 * x); });
    EXPECT_EQ(asymmetry(even), 0);
    EXPECT_GT(asymmetry(skew), 0.5);
    EXPECT_EQ(asymmetry(make(64, [](int x, int y) { return x * y; })), 0);
    const Field half = make(64, [](int x, int y) { return x < 32 ? (x + y) % 2 : 0.0; });
    EXPECT_DOUBLE_EQ(coverage(half, 0.1), 0.5);
    EXPECT_DOUBLE_EQ(moments(half).mean, 0.25);
    EXPECT_DOUBLE_EQ(moments(half).high, 1);
    EXPECT_NEAR(moments(half).deviation, std::sqrt(0.1875), 1e-12);
    EXPECT_EQ(difference(even, even), 0);
    EXPECT_EQ(difference(half, make(64, [](int, int) { return 0.0; })), 1);
}

}  // namespace pattern_test
}  // namespace pattern
