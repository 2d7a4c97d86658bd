// mottle/frame/frame.h: how a field becomes a picture: field, range, palette -> backend::Picture
#pragma once
#include "mottle/field/field.h"
#include "mottle/frame/camera.h"
#include "mottle/frame/colour.h"
#include "mottle/frame/palette.h"

#include <array>
#include <optional>
#include <string>

namespace mottle::frame {

struct Style {
    std::string field;  ///< "": the last field of the model
    std::string palette = kDefaultPalette;
    enum class Range { automatic, every_frame, fixed } range = Range::automatic;
    double lo = 0, hi = 1;  ///< range fixed
    int scale = 0;          ///< grids: pixels per cell; 0: chosen (1; videos and GIFs until at least 512 wide)
    int cells = 0;          ///< grids: cells per pixel, along a side of it; 0: chosen (1; of videos and GIFs as few as fit their format)
    // Surfaces only.
    std::array<int, 2> pixels = {1280, 720};
    Camera camera;
    double turn = 0;  ///< degrees round the y axis over the whole video
    Background background = kDefaultBackground;
};

inline constexpr int kLargestScale = 4096;
inline constexpr int kSmallestSide = 16, kLargestSide = 16384;  ///< of a picture of a surface, in pixels

/// Checks what needs no field. Throws: InputError (unknown palette, a fixed range that is empty or not finite, scale, size, camera).
void check(const Style& style);

/// What pictures of `field` look like beside their size, in words: "v, palette lagoon, range auto", of a surface with its camera, turn and background.
std::string style_text(const Style& style, const std::string& field, bool surface);

/// The range of a picture of values in `range`: that, or a wider one where it has no extent beyond rounding.
std::array<double, 2> widened(std::array<double, 2> range);

/// Decides the range of each picture: automatic keeps that of the first picture (or the declared one), so that nothing flickers.
/// A range without extent is widened, so that a constant field is drawn in the middle of the palette; a field that is not finite is drawn with index 0.
/// Palette "cyberpunk" has the rule of its article: its contrast curve always, and unless the range is fixed its range per frame; a constant field is
/// drawn from the first field instead; both constant: index 0.
class Painter {
   public:
    /// Throws: InputError (as check; unknown field).
    Painter(const Style& style, const field::Field& field, std::optional<std::array<double, 2>> declared_range);
    /// The picture to draw of the field as it is now.
    backend::Picture picture(const field::Field& field, backend::Picture::Format format);

   private:
    void set_article_range(const field::Field& field, backend::Picture& picture) const;

    Style style_;
    ir::Array array_, other_;
    std::optional<std::array<double, 2>> range_;
};

}  // namespace mottle::frame
