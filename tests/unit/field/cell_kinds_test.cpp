// tests/unit/field/cell_kinds_test.cpp: one number among many that cannot be taken as it is, found at every place
#include "mottle/field/cell_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cell_kinds_test {
namespace {

using mottle::field::CellKinds;
using mottle::field::kinds_of;

template <class Real>
CellKinds with_one(std::size_t count, std::size_t at, Real value) {
    std::vector<Real> cells(count, Real{0.25});
    if (count > 3) cells[count / 3] = -0.0;
    cells[at] = value;
    return kinds_of(std::span<const Real>(cells));
}

template <class Real>
struct CellKindsOf : testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CellKindsOf, Reals);

TYPED_TEST(CellKindsOf, OneIsFoundAtEveryPlace) {
    using Limits = std::numeric_limits<TypeParam>;
    const bool single = sizeof(TypeParam) == 4;
    for (std::size_t count = 1; count < 80; ++count) {
        for (std::size_t at = 0; at < count; ++at) {
            for (const TypeParam bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
                const CellKinds kinds = with_one(count, at, bad);
                ASSERT_TRUE(kinds.infinite) << bad << " at " << at << " of " << count;
                ASSERT_FALSE(kinds.subnormal);
            }
            for (const TypeParam small : {Limits::denorm_min(), -Limits::denorm_min(), std::nextafter(Limits::min(), TypeParam{0})}) {
                const CellKinds kinds = with_one(count, at, small);
                ASSERT_EQ(kinds.subnormal, single) << small << " at " << at << " of " << count;
                ASSERT_FALSE(kinds.infinite);
            }
            for (const TypeParam good : {Limits::max(), Limits::lowest(), Limits::min(), -Limits::min(), TypeParam{0}, TypeParam{-0.0}}) {
                const CellKinds kinds = with_one(count, at, good);
                ASSERT_FALSE(kinds.infinite) << good << " at " << at << " of " << count;
                ASSERT_FALSE(kinds.subnormal) << good << " at " << at << " of " << count;
            }
        }
    }
}

TYPED_TEST(CellKindsOf, NothingIsNothing) {
    const CellKinds kinds = kinds_of(std::span<const TypeParam>());
    EXPECT_FALSE(kinds.infinite || kinds.subnormal);
}

}  // namespace
}  // namespace cell_kinds_test
