// mottle/frame/colour.h: colours by name, and the way from sRGB bytes to linear light and back
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mottle::frame {

using Rgb = std::array<std::uint8_t, 3>;
/// What is seen beside a surface; none: transparent.
using Background = std::optional<Rgb>;

inline constexpr Rgb kDefaultBackground = {244, 241, 234};
inline constexpr Rgb kPlainSurface = {128, 128, 128};  ///< where a surface has no value

/// "#rrggbb", "#rgb" or a name such as "white". Throws: InputError that lists the names.
Rgb parse_colour(const std::string& text);
/// As parse_colour, or "transparent".
Background parse_background(const std::string& text);
/// "#rrggbb" or "transparent", as parse_background reads it.
std::string background_text(const Background& background);

/// 65535 = 1.
const std::array<std::uint16_t, 256>& linear_of_srgb();
/// The nearest byte for the middle of each sixteenth of linear value: index = linear / 16.
const std::array<std::uint8_t, 4096>& srgb_of_linear();

}  // namespace mottle::frame
