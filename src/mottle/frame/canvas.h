// mottle/frame/canvas.h: draws pictures for an output: a grid by its kernel, a surface by a view
#pragma once
#include "mottle/frame/frame.h"
#include "mottle/frame/view.h"

namespace mottle::frame {

/// The format of a picture that stands alone: palette indices of grids; of surfaces RGB, or RGBA before a transparent background.
backend::Picture::Format still_format(const Style& style, const domain::Domain& domain);

/// Whether the domain is a row of cells: a grid of one dimension.
bool is_line(const domain::Domain& domain);

/// Pixels; a row of cells is drawn at least so high.
inline constexpr int kStripHeight = 64;

class Canvas {
   public:
    using Format = backend::Picture::Format;

    /// `light`: shared by the canvases of a run; none: this one has its own. `frames`: how many will be drawn, over which a turning surface goes its way; 0: unknown, it stands still.
    /// Throws: InputError (as Painter; a picture too large), DeviceError (missing module).
    Canvas(const Style& style, const field::Field& field, std::optional<std::array<double, 2>> declared_range, Format format,
           core::Index frames, std::shared_ptr<SurfaceLight> light, core::Context& context);

    std::array<int, 2> size() const { return size_; }
    std::size_t bytes() const { return backend::picture_bytes(format_, size_); }
    Format format() const { return format_; }
    /// What the indices of Format::index mean.
    std::array<Rgb, 256> colours() const;
    /// So many frames have been drawn elsewhere: a turning surface goes on from there.
    void skip(core::Index frames) { drawn_ = frames; }
    /// The field as it is now. `out` as picture_bytes lays it out.
    void draw(const field::Field& field, std::span<std::uint8_t> out);
    /// As backend::Kernel::begin_draw: the picture is there when the call that is returned has been made, unless that is empty.
    std::function<void()> begin_draw(const field::Field& field, std::span<std::uint8_t> out);

   private:
    std::function<void()> draw_surface(const field::Field& field, std::span<std::uint8_t> out);
    void draw_strip(const field::Field& field, std::span<std::uint8_t> out);

    Style style_;
    Painter painter_;
    Format format_;
    core::Index frames_, drawn_ = 0;
    std::shared_ptr<SurfaceLight> light_;
    core::Context& context_;
    std::array<int, 2> size_;
    CasterFactory open_caster_ = nullptr;  ///< of surfaces
    std::optional<View> view_;             ///< made by the first picture
    std::vector<float> values_;
    std::optional<std::unique_ptr<backend::SurfacePainter>> surface_painter_;  ///< of the kernel; asked for once, null if it has none
    std::vector<std::uint8_t> thin_;                                           ///< one row of cells as the kernel draws it
};

}  // namespace mottle::frame
