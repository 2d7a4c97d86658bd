// tests/unit/domain/grid_test.cpp: sizes, stencils, validity of grids, and what a domain tells about itself
#include "mottle/core/error.h"
#include "mottle/domain/domain.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace grid_test {

using namespace mottle;
using domain::Grid;
using domain::Rule;
using domain::Stencil;
using domain::Triple;

core::Text text(const std::string& words) { return {words, {"m.toml", 1, 1, static_cast<int>(words.size())}}; }

template <class Action>
std::string failure(Action action) {
    try {
        action();
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "no error";
}

Grid grid_of(Triple size) {
    Grid grid;
    grid.size = size;
    return grid;
}

TEST(ParseSize, reads_one_to_three_sides) {
    EXPECT_EQ(domain::parse_size(text("512")), (Triple{512, 1, 1}));
    EXPECT_EQ(domain::parse_size(text("512x256")), (Triple{512, 256, 1}));
    EXPECT_EQ(domain::parse_size(text(" 4 x 5X 6 ")), (Triple{4, 5, 6}));
    EXPECT_EQ(domain::parse_size(text("1000000x1000000")), (Triple{1000000, 1000000, 1}));
}

TEST(ParseSize, refuses_everything_else) {
    for (const char* bad :
         {"", "x", "5x", "x5", "axb", "5.5", "1e3", "4x4x4x4", "0", "0x5", "-1", "5x-1", "99999999999999999999999", "5 5", "0x10x"}) {
        EXPECT_NE(failure([&] { domain::parse_size(text(bad)); }), "no error") << bad;
    }
    EXPECT_EQ(failure([] { domain::parse_size(text("512x0")); }), "the size '512x0' has a side of 0 cells; it must be 1 or more");
    EXPECT_EQ(failure([] { domain::parse_size(text("99999999999999999999")); }),
              "the size '99999999999999999999' is larger than any computer can store");
}

TEST(ParseStencil, reads_names_and_weights) {
    EXPECT_EQ(domain::parse_stencil(text("5")).kind, Stencil::Kind::five);
    EXPECT_EQ(domain::parse_stencil(text(" 9 ")).kind, Stencil::Kind::nine);
    const Stencil custom = domain::parse_stencil(text(".05, .2, .05, .2, -1, .2, .05, .2, 5e-2"));
    EXPECT_EQ(custom.kind, Stencil::Kind::custom);
    EXPECT_EQ(custom.weights, (std::array{.05, .2, .05, .2, -1., .2, .05, .2, .05}));
}

TEST(ParseStencil, refuses_everything_else) {
    for (const char* bad : {"", "7", "nine", "1,2,3", "1,2,3,4,5,6,7,8,9,10", "1,2,3,4,5,6,7,8,x", "1,2,3,4,5,6,7,8,nan",
                            "1,2,3,4,5,6,7,8,inf", "1,2,3,4,5,6,7,8,"}) {
        EXPECT_NE(failure([&] { domain::parse_stencil(text(bad)); }), "no error") << bad;
    }
}

TEST(Validate, accepts_what_can_be_run) {
    EXPECT_EQ(failure([] { domain::validate(grid_of({1, 1, 1})); }), "no error");
    EXPECT_EQ(failure([] { domain::validate(grid_of({Triple::value_type{1} << 21, Triple::value_type{1} << 21, 1})); }), "no error");
    Grid line = grid_of({64, 1, 1});
    line.stencil.kind = Stencil::Kind::nine;
    line.spacing = {1, 2, 1};
    EXPECT_EQ(failure([&] { domain::validate(line); }), "no error");
}

TEST(Validate, refuses_impossible_sizes_and_spacings) {
    EXPECT_NE(failure([] { domain::validate(grid_of({0, 1, 1})); }), "no error");
    EXPECT_NE(failure([] { domain::validate(grid_of({(Triple::value_type{1} << 21) + 1, Triple::value_type{1} << 21, 1})); }), "no error");
    const auto most = std::numeric_limits<core::Index>::max();
    EXPECT_NE(failure([&] { domain::validate(grid_of({most, most, most})); }), "no error");
    EXPECT_EQ(failure([] {
                  domain::validate(grid_of({10000000, 1000000, 1}));
              }),
              "a grid of 10000000x1000000 has 10.0 Tcells; one field of it takes 40.0 TB in f32, and at most 4.40 Tcells are possible");
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        Grid grid = grid_of({4, 4, 1});
        grid.spacing[1] = bad;
        EXPECT_NE(failure([&] { domain::validate(grid); }), "no error") << bad;
    }
}

TEST(Validate, stencils_of_a_plane_need_a_plane) {
    Grid grid = grid_of({8, 8, 1});
    grid.stencil.kind = Stencil::Kind::nine;
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "no error");
    grid.spacing = {1, 2, 1};
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "the stencil 9 needs equal spacing in x and y, not 1 and 2; use stencil 5");
    grid.stencil.kind = Stencil::Kind::custom;
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "no error");
    grid.size = {8, 8, 8};
    EXPECT_NE(failure([&] { domain::validate(grid); }), "no error");
    grid.stencil.kind = Stencil::Kind::five;
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "no error");
}

TEST(Validate, opposite_sides_are_both_periodic_or_neither) {
    Grid grid = grid_of({8, 8, 1});
    grid.sides[domain::kTop].rule = Rule::still;
    EXPECT_EQ(failure([&] { domain::validate(grid); }),
              "[boundary]: bottom is periodic and top is still; opposite sides must both be periodic or both not");
    grid.sides[domain::kBottom].rule = Rule::no_flux;
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "no error");
    grid.field_sides.emplace_back("u", domain::Sides{});
    EXPECT_EQ(failure([&] { domain::validate(grid); }), "no error");
    grid.field_sides[0].second[domain::kRight].rule = Rule::no_flux;
    EXPECT_NE(failure([&] { domain::validate(grid); }).find("[boundary.u]: left is periodic and right is no-flux"), std::string::npos);
}

TEST(Grid, one_field_may_have_its_own_sides) {
    Grid grid = grid_of({8, 8, 1});
    domain::Sides own;
    own.fill({Rule::still, {}, {}});
    grid.field_sides.emplace_back("v", own);
    EXPECT_EQ(grid.sides_of("u")[0].rule, Rule::periodic);
    EXPECT_EQ(grid.sides_of("v")[0].rule, Rule::still);
}

TEST(Domain, tells_its_shape) {
    const domain::Domain plane = grid_of({5, 3, 1}), box = grid_of({5, 3, 2});
    EXPECT_EQ(domain::cell_count(plane), 15);
    EXPECT_EQ(domain::row_length(box), 5);
    EXPECT_EQ(domain::row_count(box), 6);
    EXPECT_EQ(domain::shape(plane), (std::vector<core::Index>{3, 5}));
    EXPECT_EQ(domain::shape(box), (std::vector<core::Index>{2, 3, 5}));
    EXPECT_EQ(domain::describe(plane), "5x3 grid");
    EXPECT_EQ(domain::describe(box), "5x3x2 grid");
}

}  // namespace grid_test
