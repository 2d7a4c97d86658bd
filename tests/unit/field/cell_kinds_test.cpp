// tests/unit/field/cell_kinds_test.cpp: one number among many that cannot be taken as it is, found at every place
#include "mottle/field/cell_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cell_kinds_test {
namespace {

using mottle::field::CellKinds;

template <class Real>
std::vector<Real> with_one(std::size_t count, std::size_t at, Real value) {
    std::vector<Real> cells(count, Real{0.25});
    if (count > 3) cells[count / 3] = Real{-0.0};
    cells[at] = value;
    return cells;
}

/// Calls `check(count, at)` for each place among so many numbers.
template <class Check>
void for_all_places(const Check& check) {
    for (std::size_t count = 1; count < 80; ++count) {
        for (std::size_t at = 0; at < count; ++at) check(count, at);
    }
}

TEST(CellKinds, OneFloatIsFoundAtEveryPlace) {
    using Limits = std::numeric_limits<float>;
    for_all_places([](std::size_t count, std::size_t at) {
        const auto kinds = [&](float value) { return mottle::field::kinds_of(with_one(count, at, value)); };
        for (const float bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
            ASSERT_TRUE(kinds(bad).infinite) << bad << " at " << at << " of " << count;
            ASSERT_FALSE(kinds(bad).subnormal);
        }
        for (const float small : {Limits::denorm_min(), -Limits::denorm_min(), std::nextafter(Limits::min(), 0.0F)}) {
            ASSERT_TRUE(kinds(small).subnormal) << small << " at " << at << " of " << count;
            ASSERT_FALSE(kinds(small).infinite);
        }
        for (const float good : {Limits::max(), Limits::lowest(), Limits::min(), -Limits::min(), 0.0F, -0.0F}) {
            ASSERT_FALSE(kinds(good).infinite) << good << " at " << at << " of " << count;
            ASSERT_FALSE(kinds(good).subnormal) << good << " at " << at << " of " << count;
        }
    });
}

TEST(CellKinds, OneDoubleIsFoundAtEveryPlace) {
    using Limits = std::numeric_limits<double>;
    const double single = 0x1.ffffffp127;  // rounds to infinity in f32
    for_all_places([&](std::size_t count, std::size_t at) {
        const auto beyond = [&](double value, double bound) { return mottle::field::any_beyond(with_one(count, at, value), bound); };
        for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
            ASSERT_TRUE(beyond(bad, Limits::infinity())) << bad << " at " << at << " of " << count;
            ASSERT_TRUE(beyond(bad, single)) << bad << " at " << at << " of " << count;
        }
        for (const double large : {Limits::max(), Limits::lowest(), single, -single}) {
            ASSERT_FALSE(beyond(large, Limits::infinity())) << large << " at " << at << " of " << count;
            ASSERT_TRUE(beyond(large, single)) << large << " at " << at << " of " << count;
        }
        for (const double good :
             {std::nextafter(single, 0.0), -std::nextafter(single, 0.0), 0.0, -0.0, Limits::min(), Limits::denorm_min()})
            ASSERT_FALSE(beyond(good, single)) << good << " at " << at << " of " << count;
    });
}

TEST(CellKinds, NothingIsNothing) {
    const CellKinds kinds = mottle::field::kinds_of({});
    EXPECT_FALSE(kinds.infinite || kinds.subnormal);
    EXPECT_FALSE(mottle::field::any_beyond({}, 1));
}

}  // namespace
}  // namespace cell_kinds_test
