// mottle/frame/view.h: a surface seen by a camera: visibility is computed once, and each frame only changes the colours
#pragma once
#include "mottle/backend/draw.h"
#include "mottle/frame/colour.h"
#include "mottle/frame/visibility.h"

namespace mottle::frame {

/// The 256 colours of pictures with an index per pixel (GIF): shades of `palette`, the background, grays.
std::array<Rgb, 256> surface_colours(const std::array<Rgb, 256>& palette, const Background& background);

/// The rows as a backend takes them.
backend::SurfaceSight flatten(const std::vector<VisibleRow>& rows, std::array<int, 2> pixels);
/// Draws the rows; see View::draw. `values`: one per vertex that a sample names.
void draw_visible(const std::vector<VisibleRow>& rows, std::array<int, 2> pixels, const backend::Picture& picture,
                  const backend::SurfaceColours& colours, std::span<const float> values, std::span<std::uint8_t> out,
                  core::ThreadTeam& team);
/// The tables that colour a picture. Only rgba32 has a transparent background; other formats take black for it.
backend::SurfaceColours surface_tables(const backend::Picture& picture, const Background& background);

class View {
   public:
    /// `turning`: frames the surface so that it stays in the picture at every azimuth.
    View(std::shared_ptr<const LitSurface> surface, const Camera& camera, std::array<int, 2> pixels, bool turning,
         const Background& background, core::ThreadTeam& team);

    /// Looks from `degrees` further round the y axis.
    void turn(double degrees);

    /// Draws `values`, one per vertex, by the rule of `picture`; `out` as picture_bytes lays it out. The value of a pixel is interpolated inside its face,
    /// on small surfaces that of a refined one (see Refinement);
    /// its colour is that of the palette, times the shade, plus the gloss, all in linear light; a vertex without a number makes its faces kPlainSurface.
    /// rgba32: alpha is the share of the pixel that the surface covers if the background is transparent, else 255. Other formats take black for it.
    void draw(const backend::Picture& picture, std::span<const float> values, std::span<std::uint8_t> out);

    /// How many values a picture takes; see LitSurface::vertex_count().
    std::size_t vertex_count() const { return surface_->vertex_count(); }
    const std::vector<VisibleRow>& rows() const { return rows_; }
    /// What a backend needs to draw the same picture, unless the surface was refined: then the values have to be refined first.
    bool is_refined() const { return !surface_->refinements.empty(); }
    backend::SurfaceSight sight() const { return flatten(rows_, pixels_); }
    const backend::SurfaceColours& colours(const backend::Picture& picture);

   private:
    std::shared_ptr<const LitSurface> surface_;
    Camera camera_;
    std::array<int, 2> pixels_;
    bool turning_;
    Background background_;
    core::ThreadTeam& team_;
    std::vector<VisibleRow> rows_;
    std::vector<float> finer_, finest_;  ///< values on refined surfaces
    backend::SurfaceColours colours_;    ///< of the palette and format below
    std::optional<std::pair<std::array<Rgb, 256>, backend::Picture::Format>> coloured_;
};

}  // namespace mottle::frame
