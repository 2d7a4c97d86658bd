// tests/unit/domain/piece_test.cpp: boxes of grids: which sides are halos, where cells lie in the whole, and what is no piece
#include "mottle/domain/piece.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace piece_test {

using namespace mottle::domain;

Grid grid_of(Rule x, Rule y) {
    Grid grid;
    grid.size = {10, 8, 1};
    grid.sides[kLeft].rule = grid.sides[kRight].rule = x;
    grid.sides[kTop].rule = grid.sides[kBottom].rule = y;
    return grid;
}

TEST(Piece, HasTheSidesOfTheWholeAndHalos) {
    const Grid whole = grid_of(Rule::value, Rule::periodic);
    const Grid piece = piece_of(whole, {{0, 2, 0}, {6, 3, 1}});
    EXPECT_EQ(piece.sides[kLeft].rule, Rule::value);
    EXPECT_EQ(piece.sides[kRight].rule, Rule::no_flux);
    EXPECT_EQ(piece.sides[kTop].rule, Rule::no_flux);
    EXPECT_EQ(piece.sides[kFront].rule, Rule::periodic);
    const std::array<bool, 6> halos = {false, true, true, true, false, false};
    for (std::size_t side = 0; side < halos.size(); ++side) {
        EXPECT_EQ(is_halo(piece, side), halos[side]) << side;
        EXPECT_FALSE(is_halo(whole, side)) << side;
    }
}

TEST(Piece, WrapsWhereItIsAsLongAsTheWhole) {
    const Grid piece = piece_of(grid_of(Rule::periodic, Rule::periodic), {{0, 3, 0}, {10, 2, 1}});
    EXPECT_EQ(piece.sides[kLeft].rule, Rule::periodic);
    EXPECT_FALSE(is_halo(piece, kLeft));
    EXPECT_TRUE(is_halo(piece, kTop));
}

TEST(Piece, GoesOnBeyondSidesThatWrap) {
    const Grid piece = piece_of(grid_of(Rule::periodic, Rule::periodic), {{-3, 6, 0}, {6, 4, 1}});
    EXPECT_EQ(index_in_whole(piece, 0, 0), 7);
    EXPECT_EQ(index_in_whole(piece, 0, 3), 0);
    EXPECT_EQ(row_in_whole(piece, 1), 7);
    EXPECT_EQ(row_in_whole(piece, 2), 0);
    const std::vector<double> row = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<double> taken(6);
    take_row<double>(piece, row, taken);
    EXPECT_EQ(taken, (std::vector<double>{7, 8, 9, 0, 1, 2}));
}

TEST(Piece, RowsOfAVolumeCountPlanes) {
    Grid whole = grid_of(Rule::no_flux, Rule::no_flux);
    whole.size[2] = 5;
    const Grid piece = piece_of(whole, {{0, 2, 3}, {10, 4, 2}});
    EXPECT_EQ(row_in_whole(piece, 0), 3 * 8 + 2);
    EXPECT_EQ(row_in_whole(piece, 7), 4 * 8 + 5);
}

TEST(Piece, RefusesWhatIsNone) {
    const Grid whole = grid_of(Rule::no_flux, Rule::periodic);
    using Error = mottle::core::InternalError;
    EXPECT_THROW(piece_of(whole, {{-1, 0, 0}, {5, 8, 1}}), Error);
    EXPECT_THROW(piece_of(whole, {{6, 0, 0}, {5, 8, 1}}), Error);
    EXPECT_THROW(piece_of(whole, {{0, 0, 0}, {0, 8, 1}}), Error);
    EXPECT_THROW(piece_of(whole, {{0, -8, 0}, {10, 3, 1}}), Error);
    EXPECT_THROW(piece_of(piece_of(whole, {{0, 0, 0}, {5, 8, 1}}), {{0, 0, 0}, {2, 8, 1}}), Error);
}

// Beyond such a side some fields wrap and others do not.
TEST(Piece, OfAnAxisAlongWhichAllFieldsWrapOrNone) {
    Grid whole = grid_of(Rule::no_flux, Rule::periodic);
    Sides sides = whole.sides;
    sides[kLeft].rule = sides[kRight].rule = Rule::periodic;
    whole.field_sides = {{"v", sides}};
    EXPECT_FALSE(can_be_cut(whole, 0));
    EXPECT_TRUE(can_be_cut(whole, 1));
    EXPECT_THROW(piece_of(whole, {{0, 0, 0}, {5, 8, 1}}), mottle::core::InternalError);
    EXPECT_NO_THROW(piece_of(whole, {{0, 0, 0}, {10, 4, 1}}));
}

}  // namespace piece_test
