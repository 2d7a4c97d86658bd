// mottle/frame/palette.h: named colour palettes of 256 RGB entries
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mottle::frame {

using Palette = std::array<std::array<std::uint8_t, 3>, 256>;

/// Throws: InputError with the nearest name.
const Palette& palette(const std::string& name);
std::vector<std::string> palette_names();
inline constexpr const char* kDefaultPalette = "lagoon";
inline constexpr const char* kCyberpunkPalette = "cyberpunk";  ///< has its own rule of range and contrast, see frame.h

}  // namespace mottle::frame
