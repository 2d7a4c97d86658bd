// tests/unit/backend/flush_mode_test.cpp: the floating point mode of f32 kernels; values enter them as its arithmetic rounds
#include "mottle/backend/flush_mode.h"
#include "mottle/ir/program/evaluate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace mottle::backend {
namespace flush_mode_test {

float multiply(float a, float b) {
    volatile float x = a, y = b, product = x * y;  // done here and now, in the mode of the moment
    return product;
}

TEST(FlushMode, FlushesResultsAndOperandsWhileItLives) {
    EXPECT_EQ(multiply(0x1p-100f, 0x1p-30f), 0x1p-130f);
    {
        const FlushMode mode(true);
        EXPECT_EQ(multiply(0x1p-100f, 0x1p-30f), 0.0f);
        EXPECT_TRUE(std::signbit(multiply(-0x1p-100f, 0x1p-30f)));
        EXPECT_EQ(multiply(0x1p-130f, 0x1p+10f), 0.0f);
        const FlushMode inner(false);  // f64: leaves the mode alone
        EXPECT_EQ(multiply(0x1p-100f, 0x1p-30f), 0.0f);
    }
    EXPECT_EQ(multiply(0x1p-100f, 0x1p-30f), 0x1p-130f);
}

TEST(FlushMode, IsPutBackWhenAnExceptionPasses) {
    try {
        const FlushMode mode(true);
        throw std::runtime_error("passing");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(multiply(0x1p-100f, 0x1p-30f), 0x1p-130f);
    EXPECT_NO_THROW(ir::require_default_mode());
}

TEST(FlushMode, HostWorkRefusesAnotherMode) {
    const FlushMode mode(true);
    EXPECT_ANY_THROW(ir::require_default_mode());
}

// The processor decides after rounding to 24 bits with unbounded exponent; so must the host's conversion.
TEST(FlushMode, ConversionsOfTheHostRoundAsTheModeDoes) {
    auto convert = [](double value) {
        volatile double x = value;
        volatile float rounded = static_cast<float>(x);
        return static_cast<float>(rounded);
    };
    for (int low = -300; low <= 300; ++low) {
        for (double sign : {1.0, -1.0}) {
            for (double scale : {0x1p-126, 0x1p-127, 0x1p-149, 1.0}) {
                for (double step : {0x1p-23, 0x1p-24, 0x1p-25, 0x1p-26, 0x1p-50}) {
                    const double value = sign * scale * (1 + low * step);
                    float expected;
                    {
                        const FlushMode mode(true);
                        expected = convert(value);
                    }
                    ASSERT_EQ(std::bit_cast<std::uint32_t>(ir::round_to<float>(value)), std::bit_cast<std::uint32_t>(expected))
                        << std::hexfloat << value;
                }
            }
        }
    }
}

}  // namespace flush_mode_test
}  // namespace mottle::backend
