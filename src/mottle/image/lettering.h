// mottle/image/lettering.h: short texts in pictures, in a font of 5 x 7 pixels
#pragma once
#include "mottle/image/image.h"

#include <cstdint>
#include <string_view>

namespace mottle::image {

inline constexpr int kLetterHeight = 7;

/// Pixels of a line of text; `size`: pixels for each of the font's.
int text_width(std::string_view text, int size);

/// Writes text with its upper left corner at (left, top), in gray `ink`, as far as the picture (any channels; RGBA stays opaque) reaches. Letters that the
/// font lacks are left blank: it has those of ASCII, digits and - / . _ = + and the comma.
void write_text(Image& picture, int left, int top, std::string_view text, int size, std::uint8_t ink);

}  // namespace mottle::image
