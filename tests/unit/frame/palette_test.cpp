// tests/unit/frame/palette_test.cpp: palettes by name
#include "mottle/frame/palette.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace palette_test {

using namespace mottle;

TEST(Palette, KnowsItsNames) {
    const auto names = frame::palette_names();
    for (const char* name : {"lagoon", "viridis", "magma", "inferno", "turbo", "gray", "cyberpunk"}) {
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    }
    EXPECT_EQ(names.front(), frame::kDefaultPalette);
    std::set<frame::Palette> different;
    for (const auto& name : names) different.insert(frame::palette(name));
    EXPECT_EQ(different.size(), names.size());
}

TEST(Palette, NeighboursAreClose) {
    for (const auto& name : frame::palette_names()) {
        const frame::Palette& palette = frame::palette(name);
        for (std::size_t i = 1; i < 256; ++i) {
            for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(std::abs(palette[i][c] - palette[i - 1][c]), 8) << name << " " << i;
        }
    }
}

TEST(Palette, UnknownNamesGetTheNearest) {
    try {
        frame::palette("virids");
        FAIL();
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("unknown palette 'virids'; did you mean 'viridis'?"), std::string::npos) << error.message();
        EXPECT_NE(error.message().find("cyberpunk"), std::string::npos) << error.message();
    }
}

}  // namespace palette_test
