// tests/unit/backend/strips_test.cpp: wide rows cut into strips: every cell once, ghosts enough for a pass, whole rows where strips would be too narrow
#include "mottle/backend/cpu/plane/strips.h"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

namespace mottle::backend::cpu {
namespace strips_test {

TEST(Strips, HoldEveryCellOnceAndGhostsOfTheirNeighbours) {
    for (const auto& [width, chunk, ghosts, lanes] :
         {std::tuple<Index, Index, Index, int>{8192, 512, 16, 16}, {4097, 400, 16, 16}, {773, 250, 5, 8}, {3000, 600, 32, 4}}) {
        for (const bool periodic : {true, false}) {
            const Strips row = cut_row(width, chunk, ghosts, periodic, lanes, 4);
            ASSERT_GT(row.count(), 1) << width;
            Index next = 0;
            for (int i = 0; i < row.count(); ++i) {
                const Strip& strip = row.strips[static_cast<std::size_t>(i)];
                EXPECT_EQ(strip.first, next);
                next += strip.cells;
                EXPECT_GE(strip.cells, ghosts);
                EXPECT_EQ(strip.at_left_border(), !periodic && i == 0);
                EXPECT_EQ(strip.at_right_border(), !periodic && i + 1 == row.count());
                EXPECT_GE(strip.left, strip.at_left_border() ? 0 : ghosts);
                EXPECT_GE(strip.right, strip.at_right_border() ? 0 : ghosts);
                EXPECT_EQ(strip.layout.width(), strip.left + strip.cells + strip.right);
                EXPECT_EQ(strip.layout.lanes(), lanes);
                EXPECT_FALSE(strip.layout.overlap());
                EXPECT_LT(std::max(strip.left, strip.right), strip.layout.columns()) << "ghosts lie inside one lane";
            }
            EXPECT_EQ(next, width);
            EXPECT_EQ(row.left_of(0), row.count() - 1);
            EXPECT_EQ(row.right_of(row.count() - 1), 0);
        }
    }
}

TEST(Strips, RowsTooNarrowStayWhole) {
    for (const auto& [width, chunk] : {std::pair<Index, Index>{64, 16}, {512, 512}, {400, 300}, {100, 1}}) {
        const Strips row = cut_row(width, chunk, 16, true, 16, 4);
        ASSERT_TRUE(row.whole()) << width;
        EXPECT_EQ(row.strips[0].cells, width);
        EXPECT_EQ(row.strips[0].left + row.strips[0].right, 0);
    }
    EXPECT_LT(cut_row(2048, 100, 16, true, 16, 4).count(), 2048 / 100) << "fewer strips where 100 cells would be too few";
}

TEST(Strips, PartsOfARowInAndOut) {
    const RowLayout layout(480, 16, 4);
    std::vector<float> memory(static_cast<std::size_t>(layout.array_pitch()) / 4), cells(480);
    std::iota(cells.begin(), cells.end(), 0.0F);
    float* row = memory.data() + layout.lanes();
    layout.scatter<float>(cells, -1, -2, row);
    const std::vector<std::uint32_t> places = layout.places(55, 77);
    ASSERT_EQ(places.size(), 77u);
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(row[places[i]], cells[55 + i]);
    for (const std::uint32_t place : layout.places(3, 20)) row[place] = 7.0F;
    std::vector<float> all(480);
    layout.gather<float>(row, all);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i >= 3 && i < 23 ? 7.0F : cells[i]);
}

TEST(Strips, EdgesDoNotOverlap) {
    const Strips row = cut_row(2048, 512, 16, true, 16, 4);
    Edges edges(row, 3, 2, 4);
    const std::ptrdiff_t bytes = 16 * 2 * 4;
    for (int strip = 0; strip < row.count(); ++strip) {
        for (Index y = 0; y < 3; ++y) EXPECT_EQ(edges.at(0, strip, y, true) - edges.at(0, strip, y, false), bytes);
    }
    EXPECT_EQ(edges.at(1, 3, 2, true) - edges.at(1, 0, 0, false), bytes * (2 * 3 * row.count() - 1));
    EXPECT_NE(edges.at(0, 0, 0, false), edges.at(1, 0, 0, false));
}

}  // namespace strips_test
}  // namespace mottle::backend::cpu
