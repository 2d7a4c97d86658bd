// tests/unit/backend/coordinates_test.cpp: tables of cell centres, borders of `still` sides, and cells beyond the border
#include "mottle/backend/coordinates.h"

#include <gtest/gtest.h>

namespace mottle::backend {
namespace coordinates_test {

domain::Grid small_grid() {
    domain::Grid grid;
    grid.size = {4, 3, 1};
    grid.spacing = {0.1, 2, 1};
    return grid;
}

TEST(Coordinates, CellCentres) {
    const auto grid = small_grid();
    EXPECT_EQ(coordinate_table(grid, ir::kAxisX), (std::vector<double>{0.5 * 0.1, 1.5 * 0.1, 2.5 * 0.1, 3.5 * 0.1}));
    EXPECT_EQ(coordinate_table(grid, ir::kAxisY), (std::vector<double>{1, 3, 5}));
    EXPECT_EQ(coordinate_table(grid, ir::kUnitX), (std::vector<double>{0.05 / 0.4, 1.5 * 0.1 / 0.4, 0.25 / 0.4, 3.5 * 0.1 / 0.4}));
    EXPECT_EQ(coordinate_table(grid, ir::kUnitY), (std::vector<double>{1.0 / 6, 3.0 / 6, 5.0 / 6}));
    EXPECT_EQ(coordinate_table(grid, ir::kUnitZ), (std::vector<double>{0.5}));
    EXPECT_EQ(direction(ir::kUnitY), 1);
    EXPECT_EQ(direction(ir::kStillZ), 2);
}

TEST(Coordinates, StillBordersPerSide) {
    auto grid = small_grid();
    for (auto& side : grid.sides) side.rule = domain::Rule::no_flux;
    grid.sides[domain::kRight].rule = domain::Rule::still;
    EXPECT_EQ(coordinate_table(grid, ir::kStillX), (std::vector<double>{0, 0, 0, 1}));
    EXPECT_EQ(coordinate_table(grid, ir::kStillY), (std::vector<double>{0, 0, 0}));
    grid.sides[domain::kTop].rule = grid.sides[domain::kBottom].rule = domain::Rule::still;
    EXPECT_EQ(coordinate_table(grid, ir::kStillY), (std::vector<double>{1, 0, 1}));
}

TEST(Coordinates, BeyondTheBorder) {
    auto grid = small_grid();
    EXPECT_EQ(inside_cell(grid, 0, 2), 2);
    EXPECT_EQ(inside_cell(grid, 0, -1), 3);
    EXPECT_EQ(inside_cell(grid, 0, -4), 0);
    EXPECT_EQ(inside_cell(grid, 0, 5), 1);
    for (auto& side : grid.sides) side.rule = domain::Rule::no_flux;
    EXPECT_EQ(inside_cell(grid, 0, -1), 0);
    EXPECT_EQ(inside_cell(grid, 0, -2), 1);
    EXPECT_EQ(inside_cell(grid, 0, 4), 3);
    EXPECT_EQ(inside_cell(grid, 1, 4), 1);
}

}  // namespace coordinates_test
}  // namespace mottle::backend
