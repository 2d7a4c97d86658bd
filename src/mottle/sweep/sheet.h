// mottle/sweep/sheet.h: a PNG of all members, with the values of the axes around it
#pragma once
#include "mottle/frame/canvas.h"
#include "mottle/image/image.h"
#include "mottle/output/sink.h"
#include "mottle/sweep/mosaic.h"
#include "mottle/sweep/spec.h"

#include <optional>
#include <string>
#include <vector>

namespace mottle::sweep {

/// Keeps the last frame of a mosaic and writes it at the end: values of the first axis below, of the second on the left, a cross for a member that is lost.
class Sheet final : public output::Sink {
   public:
    /// Pixels per cell: what the spec says, else so many that values fit below the tiles.
    static int scale_of(const output::SinkSpec& spec, const Layout& layout);
    /// Throws: as frame::Canvas; InputError (a picture too large).
    Sheet(const output::SinkSpec& spec, const field::Field& mosaic, const Layout& layout, const std::vector<Axis>& axes,
          std::span<const Tile> tiles, core::Context& context);
    void write(core::Moment at, field::Field& mosaic) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    /// An axis as it is written: its values below the tiles, or on their left.
    struct Ruler {
        std::string name;
        std::vector<std::string> labels;
    };
    static Ruler ruler_of(const Axis& axis);
    /// What stands beside the tiles, in pixels.
    struct Margins {
        int letter, line;  ///< pixels of the font's, and of a line of text
        int left, top, right, bottom;
    };
    Margins margins() const;
    void place_tiles(image::Image& sheet, const Margins& margins) const;
    void cross_out_lost(image::Image& sheet, const Margins& margins) const;
    void label_columns(image::Image& sheet, const Margins& margins) const;
    void label_rows(image::Image& sheet, const Margins& margins) const;

    std::filesystem::path path_;
    Layout layout_;
    std::optional<Ruler> across_, aside_;
    std::span<const Tile> tiles_;
    int scale_;
    frame::Canvas canvas_;
    int tile_width_, tile_height_, gap_;  ///< pixels
    std::vector<std::uint8_t> indices_;
    bool drawn_ = false, saved_ = false;
    double seconds_ = 0;
};

}  // namespace mottle::sweep
