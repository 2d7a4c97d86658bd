// tests/unit/frame/frame_test.cpp: which field is drawn, and over which range
#include "mottle/frame/frame.h"

#include "mottle/core/error.h"
#include "unit/frame/held_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace frame_test {

using namespace mottle;
using core::Index;
using frame::Style;
using Format = backend::Picture::Format;
using Range = std::array<double, 2>;

Style style_of(Style::Range range, const std::string& palette = "lagoon", const std::string& field = "") {
    Style style;
    style.range = range;
    style.palette = palette;
    style.field = field;
    return style;
}

/// u runs from 0 to 0.5, v from `lo` to `hi`.
void set_ramps(held::World& world, double lo, double hi) {
    world.set("u", [](Index x, Index, Index) { return 0.5 * static_cast<double>(x) / 7; });
    world.set("v", [=](Index x, Index, Index) { return lo + (hi - lo) * static_cast<double>(x) / 7; });
}

Range range_of(const backend::Picture& picture) { return {picture.lo, picture.hi}; }

TEST(Painter, AutomaticKeepsTheFirstRange) {
    held::World world({8, 3, 1});
    set_ramps(world, 0.25, 1.5);
    frame::Painter painter(style_of(Style::Range::automatic), world.field, std::nullopt);
    backend::Picture picture = painter.picture(world.field, Format::rgb24);
    EXPECT_EQ(range_of(picture), (Range{0.25, 1.5}));
    EXPECT_EQ(picture.array, world.field.find("v"));
    EXPECT_EQ(picture.curve, backend::Picture::Curve::linear);
    EXPECT_EQ(picture.format, Format::rgb24);
    EXPECT_EQ(picture.palette, frame::palette("lagoon"));
    EXPECT_EQ(picture.scale, 1);
    set_ramps(world, -4, 9);
    EXPECT_EQ(range_of(painter.picture(world.field, Format::rgb24)), (Range{0.25, 1.5}));
}

TEST(Painter, TheDeclaredRangeWinsOverTheFirst) {
    held::World world({8, 3, 1});
    set_ramps(world, 0.25, 1.5);
    frame::Painter painter(style_of(Style::Range::automatic), world.field, Range{0, 1});
    EXPECT_EQ(range_of(painter.picture(world.field, Format::index)), (Range{0, 1}));
}

TEST(Painter, EveryFrameFollows) {
    held::World world({8, 3, 1});
    frame::Painter painter(style_of(Style::Range::every_frame, "magma", "u"), world.field, Range{0, 1});
    set_ramps(world, 0, 1);
    const backend::Picture picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(range_of(picture), (Range{0, 0.5}));
    EXPECT_EQ(picture.array, world.field.find("u"));
    world.set("u", [](Index x, Index, Index) { return -2 + static_cast<double>(x); });
    EXPECT_EQ(range_of(painter.picture(world.field, Format::index)), (Range{-2, 5}));
}

TEST(Painter, FixedStays) {
    held::World world({8, 3, 1});
    Style style = style_of(Style::Range::fixed);
    style.lo = -1;
    style.hi = 3;
    style.scale = 5;
    frame::Painter painter(style, world.field, Range{0, 1});
    const backend::Picture picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(range_of(picture), (Range{-1, 3}));
    EXPECT_EQ(picture.scale, 5);
}

/// A constant field is drawn in the middle of the palette, and rounding noise is not blown up to a picture.
TEST(Painter, ARangeWithoutExtentIsWidened) {
    for (const double value : {0.0, 1.0, -3.0, 1e20, 1e-20}) {
        held::World world({8, 3, 1}, true);
        world.set("v", [=](Index x, Index, Index) { return value * (1 + 1e-9 * static_cast<double>(x)); });
        for (const auto mode : {Style::Range::automatic, Style::Range::every_frame}) {
            frame::Painter painter(style_of(mode), world.field, std::nullopt);
            const auto [lo, hi] = range_of(painter.picture(world.field, Format::index));
            EXPECT_NEAR((lo + hi) / 2, value, 1e-6 * std::abs(value));
            EXPECT_GE(hi - lo, value == 0 ? 1 : 0.9 * std::abs(value));
        }
    }
    held::World world({8, 3, 1});
    set_ramps(world, 5, 5.001);  // small, but no noise
    frame::Painter painter(style_of(Style::Range::automatic), world.field, std::nullopt);
    const auto [lo, hi] = range_of(painter.picture(world.field, Format::index));
    EXPECT_NEAR(hi - lo, 0.001, 1e-6);
}

TEST(Painter, AFieldThatIsNotFiniteIsIndexZeroAndSetsNoRange) {
    held::World world({8, 3, 1});
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        world.set("v", [=](Index x, Index y, Index) { return x == 3 && y == 1 ? bad : static_cast<double>(x); });
        frame::Painter painter(style_of(Style::Range::automatic), world.field, std::nullopt);
        backend::Picture picture = painter.picture(world.field, Format::index);
        EXPECT_EQ(range_of(picture), (Range{0, 0}));
        std::vector<std::uint8_t> out(24, 9);
        world.kernel.draw(world.field.state(), picture, out);
        EXPECT_EQ(out, std::vector<std::uint8_t>(24, 0));
        set_ramps(world, 0, 2);
        EXPECT_EQ(range_of(painter.picture(world.field, Format::index)), (Range{0, 2}));
    }
}

TEST(Painter, CyberpunkHasTheRuleOfItsArticle) {
    held::World world({8, 3, 1});
    set_ramps(world, 0.1, 0.4);
    frame::Painter painter(style_of(Style::Range::automatic, "cyberpunk"), world.field, Range{0, 1});
    backend::Picture picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(picture.curve, backend::Picture::Curve::cyberpunk);
    EXPECT_EQ(picture.array, world.field.find("v"));
    EXPECT_FLOAT_EQ(static_cast<float>(picture.lo), 0.1F);
    EXPECT_FLOAT_EQ(static_cast<float>(picture.hi), 0.4F);
    set_ramps(world, 0.2, 0.3);  // per frame
    EXPECT_FLOAT_EQ(static_cast<float>(painter.picture(world.field, Format::index).lo), 0.2F);
    set_ramps(world, 0.2, 0.2 + 9e-7);  // V is constant: U is drawn
    picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(picture.array, world.field.find("u"));
    EXPECT_EQ(range_of(picture), (Range{0, 0.5}));
    world.set("u", [](Index, Index, Index) { return 1.0; });  // both constant: index 0 everywhere
    picture = painter.picture(world.field, Format::index);
    EXPECT_FALSE(picture.lo < picture.hi);
    set_ramps(world, 0.1, 0.4);
    picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(picture.array, world.field.find("v"));
}

TEST(Painter, CyberpunkWithAFixedRange) {
    held::World world({8, 3, 1});
    Style style = style_of(Style::Range::fixed, "cyberpunk");
    style.lo = 0.1;
    style.hi = 0.2;
    frame::Painter painter(style, world.field, std::nullopt);
    const backend::Picture picture = painter.picture(world.field, Format::index);
    EXPECT_EQ(picture.curve, backend::Picture::Curve::cyberpunk);
    EXPECT_EQ(range_of(picture), (Range{0.1, 0.2}));
}

TEST(Painter, WrongStylesAreRefused) {
    held::World world({8, 3, 1});
    auto refusal = [&](const Style& style) -> std::string {
        try {
            frame::Painter(style, world.field, std::nullopt);
        } catch (const core::InputError& error) {
            return error.message();
        }
        return "";
    };
    EXPECT_NE(refusal(style_of(Style::Range::automatic, "lagon")).find("did you mean 'lagoon'?"), std::string::npos);
    EXPECT_NE(refusal(style_of(Style::Range::automatic, "lagoon", "w")).find("unknown field 'w'"), std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const auto& [lo, hi] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {nan, 1.0}, {0.0, infinity}, {-1.7e308, 1.7e308}}) {
        Style style = style_of(Style::Range::fixed);
        style.lo = lo;
        style.hi = hi;
        EXPECT_NE(refusal(style).find("two finite numbers, the lower one first"), std::string::npos) << lo << " " << hi;
    }
    for (const int scale : {-1, 5000}) {
        Style style;
        style.scale = scale;
        EXPECT_NE(refusal(style).find("pixels per cell"), std::string::npos);
    }
}

}  // namespace frame_test
