// tests/unit/backend/transpose_test.cpp: segments of rows into lanes and back, beside the definition, for all numbers of lanes and columns
#include "mottle/backend/cpu/plane/transpose.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

namespace transpose_test {
namespace {

using mottle::core::at;
using mottle::core::Index;

template <class Real>
struct Transpose : testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Transpose, Reals);

// Lanes of a width that they do not divide overlap by a cell now and then, as those of RowLayout do. Guards stand around what is written.
TYPED_TEST(Transpose, IsTheDefinition) {
    const TypeParam guard = 7777;
    for (const int lanes : {1, 2, 4, 8, 16}) {
        for (Index columns = 1; columns <= 40; ++columns) {
            for (const Index overlap : {0, 1}) {
                std::vector<Index> starts(at(lanes));
                for (int lane = 1; lane < lanes; ++lane) starts[at(lane)] = starts[at(lane - 1)] + columns - (lane % 3 == 1 ? overlap : 0);
                const Index width = starts.back() + columns;
                std::vector<TypeParam> cells(at(width + 2), guard);
                for (Index i = 0; i < width; ++i) cells[at(i + 1)] = static_cast<TypeParam>(i) + TypeParam{0.5};

                std::vector<TypeParam> vectors(at(columns * lanes + 2), guard);
                mottle::backend::cpu::to_lanes<TypeParam>(cells.data() + 1, starts, columns, vectors.data() + 1);
                for (Index j = 0; j < columns; ++j) {
                    for (int lane = 0; lane < lanes; ++lane)
                        ASSERT_EQ(vectors[at(1 + j * lanes + lane)], cells[at(1 + starts[at(lane)] + j)]) << lanes << " lanes, " << columns;
                }
                EXPECT_EQ(vectors.front(), guard);
                EXPECT_EQ(vectors.back(), guard);

                std::vector<TypeParam> back(at(width + 2), guard);
                mottle::backend::cpu::from_lanes<TypeParam>(vectors.data() + 1, starts, columns, back.data() + 1);
                ASSERT_EQ(back, cells) << lanes << " lanes, " << columns << " columns";
            }
        }
    }
}

// Numbers are moved, not computed: signalling NaN with their payloads, and subnormals, keep their bits.
TEST(TransposeBits, AreKept) {
    const Index columns = 9;
    const std::vector<Index> starts = {0, 9, 18, 27};
    std::vector<double> cells(36), vectors(36), back(36);
    for (std::size_t i = 0; i < 36; ++i) cells[i] = std::bit_cast<double>(i % 2 == 0 ? 0x7ff0000000000001 + i : 1 + i);
    mottle::backend::cpu::to_lanes<double>(cells.data(), starts, columns, vectors.data());
    mottle::backend::cpu::from_lanes<double>(vectors.data(), starts, columns, back.data());
    for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(cells[i])) << i;
}

}  // namespace
}  // namespace transpose_test
