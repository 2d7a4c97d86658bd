// tests/unit/frame/colour_test.cpp: names of colours and the transfer function of sRGB
#include "mottle/frame/colour.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace colour_test {

using namespace mottle;
using frame::Rgb;

TEST(Colour, IsReadFromDigitsAndNames) {
    EXPECT_EQ(frame::parse_colour("#1a2B3c"), (Rgb{0x1A, 0x2B, 0x3C}));
    EXPECT_EQ(frame::parse_colour("#fa0"), (Rgb{0xFF, 0xAA, 0x00}));
    EXPECT_EQ(frame::parse_colour("white"), (Rgb{255, 255, 255}));
    EXPECT_EQ(frame::parse_background("transparent"), std::nullopt);
    EXPECT_EQ(frame::parse_background("black"), (Rgb{0, 0, 0}));
    for (const std::string text : {"#12345", "#gggggg", "", "#", "wihte", "transparent "}) {
        EXPECT_THROW(frame::parse_background(text), core::InputError) << text;
    }
    try {
        frame::parse_background("wihte");
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("did you mean 'white'"), std::string::npos) << error.message();
    }
    try {
        frame::parse_background("transparant");
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("did you mean 'transparent'"), std::string::npos) << error.message();
    }
    try {
        frame::parse_background("mauve");
    } catch (const core::InputError& error) {
        EXPECT_EQ(error.message(),
                  "'mauve' is not a colour; write #rrggbb, black, white, gray, paper, night, sky, sand, green or transparent");
    }
    EXPECT_EQ(frame::parse_background(frame::background_text(Rgb{1, 0xAB, 255})), (Rgb{1, 0xAB, 255}));
    EXPECT_EQ(frame::background_text(std::nullopt), "transparent");
}

TEST(Colour, FollowsTheStandardBothWays) {
    for (int i = 0; i < 256; ++i) {
        const double s = i / 255.0, linear = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
        const std::uint16_t value = frame::linear_of_srgb()[static_cast<std::size_t>(i)];
        EXPECT_NEAR(value, 65535 * linear, 0.51) << i;
        EXPECT_NEAR(frame::srgb_of_linear()[value >> 4], i, 1) << i;
    }
}

}  // namespace colour_test
