// tests/unit/ir/philox_test.cpp: the published known answers of Philox4x32-10, and the range and layout of uniform draws
#include "mottle/core/error.h"
#include "mottle/ir/functions/philox.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace mottle::ir {
namespace philox_test {

using Block = std::array<std::uint32_t, 4>;

// Random123, tests/kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

double from_word(std::uint32_t word) { return (static_cast<double>(word / 512) + 0.5) / 8388608.0; }

TEST(Philox, DrawsUseSeedCellStepAndBlock) {
    const std::uint64_t seed = 0x0123456789abcdef, cell = 0xbeef12345678, step = 0x1122334455667788;
    for (std::uint32_t draw : {0u, 1u, 2u, 3u, 4u, 7u, 262143u}) {
        const Block block = philox({0x12345678, 0xbeef | (draw / 4) << 16, 0x55667788, 0x11223344}, {0x89abcdef, 0x01234567});
        EXPECT_EQ(uniform_draw(seed, cell, step, draw), from_word(block[draw % 4])) << "draw " << draw;
    }
}

TEST(Philox, ManyDrawsAtOnceAreThoseOfOneAtATime) {
    const std::uint64_t seed = 0x0123456789abcdef, step = 0x1122334455667788, edge = std::uint64_t{1} << 32;
    for (const std::uint64_t first : {std::uint64_t{0}, edge - 21, std::uint64_t{0xbeef12345678}}) {
        for (const std::uint32_t draw : {0u, 3u, 6u, 262143u}) {
            std::vector<double> numbers(181, -1);
            uniform_draws(seed, first, step, draw, numbers);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                ASSERT_EQ(numbers[i], uniform_draw(seed, first + i, step, draw)) << first << " + " << i;
        }
    }
    std::vector<double> beyond(2);
    EXPECT_THROW(uniform_draws(0, (std::uint64_t{1} << 48) - 1, 0, 0, beyond), core::InternalError);
}

TEST(Philox, DrawsLieInsideTheUnitIntervalAndSpread) {
    double sum = 0, squares = 0;
    const int count = 1000000;
    for (int i = 0; i < count; ++i) {
        const double u = uniform_draw(7, static_cast<std::uint64_t>(i), kInitialStep, 3);
        ASSERT_GT(u, 0.0);
        ASSERT_LT(u, 1.0);
        sum += u;
        squares += u * u;
    }
    // standard deviation of the mean of 1e6: 2.9e-4; of the mean square: 3.0e-4
    EXPECT_NEAR(sum / count, 0.5, 1.5e-3);
    EXPECT_NEAR(squares / count, 1.0 / 3, 1.5e-3);
}

TEST(Philox, NeighboursDiffer) {
    std::set<double> seen;
    for (std::uint64_t i = 0; i < 64; ++i) {
        seen.insert(uniform_draw(i, 0, 0, 0));
        seen.insert(uniform_draw(0, i, 0, 0));
        seen.insert(uniform_draw(0, 0, i, 0));
        seen.insert(uniform_draw(0, 0, 0, static_cast<std::uint32_t>(i)));
    }
    EXPECT_EQ(seen.size(), 4 * 63 + 1u);
}

TEST(Philox, RefusesWhatTheCounterCannotHold) {
    EXPECT_THROW(uniform_draw(0, std::uint64_t{1} << 48, 0, 0), core::InternalError);
    EXPECT_THROW(uniform_draw(0, 0, 0, 1u << 18), core::InternalError);
}

}  // namespace philox_test
}  // namespace mottle::ir
