// mottle/image/lettering.cpp: letters of 5 x 7 pixels, one blank column between them
#include "mottle/image/lettering.h"

#include "mottle/core/index.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mottle::image {
namespace {

struct Glyph {
    char letter;
    std::array<std::uint8_t, 5> columns;
};
constexpr Glyph kGlyphs[] = {
#include "mottle/image/glyphs_table.inc"
};
constexpr int kLetterWidth = 5, kPitch = 6;

void fill(Image& picture, int left, int top, int side, std::uint8_t ink) {
    const int right = std::min(left + side, picture.width), bottom = std::min(top + side, picture.height);
    for (int y = std::max(top, 0); y < bottom; ++y) {
        for (int x = std::max(left, 0); x < right; ++x) {
            const std::size_t pixel = core::at(y) * core::at(picture.width) + core::at(x);
            for (int c = 0; c < picture.channels; ++c) picture.pixels[pixel * core::at(picture.channels) + core::at(c)] = c < 3 ? ink : 255;
        }
    }
}

}  // namespace

int text_width(std::string_view text, int size) { return text.empty() ? 0 : (static_cast<int>(text.size()) * kPitch - 1) * size; }

void write_text(Image& picture, int left, int top, std::string_view text, int size, std::uint8_t ink) {
    for (std::size_t n = 0; n < text.size(); ++n) {
        const auto* glyph = std::find_if(std::begin(kGlyphs), std::end(kGlyphs), [&](const Glyph& g) { return g.letter == text[n]; });
        if (glyph == std::end(kGlyphs)) continue;
        const int begin = left + static_cast<int>(n) * kPitch * size;
        for (int i = 0; i < kLetterWidth; ++i) {
            for (int j = 0; j < kLetterHeight; ++j) {
                if ((glyph->columns[core::at(i)] >> j) & 1) fill(picture, begin + i * size, top + j * size, size, ink);
            }
        }
    }
}

}  // namespace mottle::image
