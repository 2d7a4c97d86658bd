// tests/unit/sweep/mosaic_test.cpp: where the cells of members stand in the picture of all
#include "kernel_cache.h"
#include "mottle/sweep/mosaic.h"

#include "mottle/core/error.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace mosaic_test {

using namespace mottle;
using sweep::Layout;

domain::Domain grid(core::Index x, core::Index y, core::Index z) {
    domain::Grid grid;
    grid.size = {x, y, z};
    return grid;
}

TEST(Layout, PlacesMembersFromTheLowerLeft) {
    const Layout layout = Layout::of(grid(64, 32, 1), 3, 2);
    EXPECT_EQ(layout.gap, 1);
    EXPECT_EQ(layout.size(), (std::array<core::Index, 2>{3 * 65 - 1, 2 * 33 - 1}));
    EXPECT_EQ(layout.member(0, 1), 0);
    EXPECT_EQ(layout.member(2, 1), 2);
    EXPECT_EQ(layout.member(0, 0), 3);
    EXPECT_EQ(Layout::of(grid(1024, 1024, 1), 1, 1).gap, 8);
}

TEST(Layout, RowsOfCellsRunUpThePage) {
    const Layout one = Layout::of(grid(100, 1, 1), 5, 1);
    EXPECT_EQ(one.columns, 1);
    EXPECT_EQ(one.rows, 5);
    EXPECT_EQ(one.gap, 0);
    EXPECT_EQ(one.member(0, 4), 0);
    EXPECT_EQ(one.size(), (std::array<core::Index, 2>{100, 40}));
    const Layout two = Layout::of(grid(100, 1, 1), 5, 2);
    EXPECT_EQ(two.columns, 5);
    EXPECT_EQ(two.size(), (std::array<core::Index, 2>{5 * 101 - 1, 2 * 9 - 1}));
}

/// Members whose cells know whose they are: 100 m + 10 z + y + x/10.
struct Members {
    explicit Members(const std::string& size, int count) {
        for (int m = 0; m < count; ++m) {
            const std::string text = "equations.u = '0*u'\nparameters.m = " + std::to_string(m) +
                                     "\ninitial.u = '100*m + y - 0.5 + (x - 0.5)/10" +
                                     (size.find('x') != size.rfind('x') ? " + 10*(z - 0.5)" : "") + "'\ngrid.size = '" + size +
                                     "'\ntime = { steps = 1, dt = 1 }\n";
            runs.push_back(
                std::make_unique<run::Simulation>(run::read_spec(core::parse_document(text, "test.toml"), "test", "",
                                                                 core::parse_document("device = 'reference'\nprecision = 'f64'", "flags")),
                                                  context));
            tiles.push_back({&runs.back()->field(), false});
        }
    }
    core::ThreadTeam team{1};
    core::Observer observer;
    core::Context context{team, observer, kernel_cache()};
    std::vector<std::unique_ptr<run::Simulation>> runs;
    std::vector<sweep::Tile> tiles;
};

TEST(Mosaic, ShowsEachMemberInItsPlaceAndNothingBetween) {
    Members members("4x3", 6);
    members.tiles[4].lost = true;
    const Layout layout = Layout::of(members.runs[0]->kernel().domain(), 3, 2);
    sweep::Mosaic mosaic(members.tiles, layout, sweep::plane_of(layout), members.context);
    const field::Field picture(mosaic);
    ASSERT_EQ(domain::row_length(mosaic.domain()), 14);
    ASSERT_EQ(domain::row_count(mosaic.domain()), 7);
    std::vector<double> cells(14);
    std::vector<float> narrow(14);
    for (core::Index row = 0; row < 7; ++row) {
        mosaic.read_row(picture.state(), 0, row, std::span<double>(cells));
        mosaic.read_row(picture.state(), 0, row, std::span<float>(narrow));
        for (core::Index x = 0; x < 14; ++x) {
            const core::Index column = x / 5, own_x = x % 5, own_y = row % 4, member = (row < 3 ? 3 : 0) + column;
            const auto i = static_cast<std::size_t>(x);
            if (own_x == 4 || own_y == 3 || member == 4) {
                EXPECT_TRUE(std::isnan(cells[i]) && std::isnan(narrow[i])) << x << ", " << row;
            } else {
                EXPECT_DOUBLE_EQ(cells[i],
                                 100.0 * static_cast<double>(member) + static_cast<double>(own_y) + static_cast<double>(own_x) / 10);
                EXPECT_EQ(narrow[i], static_cast<float>(cells[i]));
            }
        }
    }
    const backend::Range range = picture.range(0);
    EXPECT_EQ(range.min, 0);
    EXPECT_DOUBLE_EQ(range.max, 502.3);
    EXPECT_EQ(range.first_bad, -1);
}

TEST(Mosaic, ShowsTheMiddleOfAVolume) {
    Members members("4x3x5", 2);
    const Layout layout = Layout::of(members.runs[0]->kernel().domain(), 2, 1);
    sweep::Mosaic mosaic(members.tiles, layout, sweep::plane_of(layout), members.context);
    const field::Field picture(mosaic);
    std::vector<double> cells(9);
    mosaic.read_row(picture.state(), 0, 1, std::span<double>(cells));
    EXPECT_DOUBLE_EQ(cells[0], 21);
    EXPECT_DOUBLE_EQ(cells[6], 121.1);
}

TEST(Mosaic, RepeatsARowOfCells) {
    Members members("4x1", 2);
    const Layout layout = Layout::of(members.runs[0]->kernel().domain(), 2, 1);
    sweep::Mosaic mosaic(members.tiles, layout, sweep::plane_of(layout), members.context);
    const field::Field picture(mosaic);
    ASSERT_EQ(domain::row_count(mosaic.domain()), 16);
    std::vector<double> upper(4), lower(4);
    mosaic.read_row(picture.state(), 0, 7, std::span<double>(upper));
    mosaic.read_row(picture.state(), 0, 8, std::span<double>(lower));
    EXPECT_DOUBLE_EQ(upper[2], 100.2);
    EXPECT_DOUBLE_EQ(lower[2], 0.2);
}

TEST(Mosaic, IsOnlyLookedAt) {
    Members members("4x3", 1);
    const Layout layout = Layout::of(members.runs[0]->kernel().domain(), 1, 1);
    sweep::Mosaic mosaic(members.tiles, layout, sweep::plane_of(layout), members.context);
    field::Field picture(mosaic);
    const std::vector<double> cells(4);
    EXPECT_THROW(mosaic.advance(picture.state(), 0, 1, {}), core::InternalError);
    EXPECT_THROW(mosaic.write_row(picture.state(), 0, 0, cells), core::InternalError);
}

// Seen from the camera, columns go to the right and rows up, none nearer, and they do not overlap.
TEST(Mosaic, CopiesOfASurfaceStandInThePlaneOfThePicture) {
    domain::Mesh mesh;
    domain::Surface surface;
    surface.position = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 3}};
    surface.faces = {{0, 1, 2}, {0, 2, 3}};
    surface.original = {0, 1, 2, 4};
    surface.vertex_of = {0, 1, 2, -1, 3};
    surface.bare = {{3, {9, 9, 9}}};
    mesh.surface = std::make_shared<domain::Surface>(surface);
    Layout layout;
    layout.columns = 2;
    layout.rows = 2;
    const std::array<double, 2> angles = {90, 0};  // from +x: to the right is -z, up is y
    const domain::Domain copies = sweep::copies_of(mesh, layout, angles);
    const domain::Surface& all = *std::get<domain::Mesh>(copies).surface;
    ASSERT_EQ(all.position.size(), 16U);
    for (std::size_t member = 0; member < 4; ++member) {
        for (std::size_t v = 0; v < 4; ++v) {
            const domain::Point &p = all.position[4 * member + v], &own = surface.position[v];
            EXPECT_NEAR(p[0], own[0], 1e-12);
            EXPECT_NEAR(p[1], own[1] + (member / 2 == 1 ? 1.06 : 0), 1e-12);
            EXPECT_NEAR(p[2], own[2] - (member % 2 == 1 ? 3.18 : 0), 1e-12);
        }
    }
    EXPECT_EQ(all.faces[3], (domain::Triangle{4, 6, 7}));
    EXPECT_EQ(all.original[7], 9);
    EXPECT_EQ(all.vertex_of[9], 7);
    EXPECT_EQ(all.vertex_of[8], -1);
    EXPECT_EQ(all.bare[1].first, 8);
    EXPECT_NEAR(all.bare[1].second[2], 9 - 3.18, 1e-12);
}

}  // namespace mosaic_test
