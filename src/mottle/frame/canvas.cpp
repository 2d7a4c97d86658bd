// mottle/frame/canvas.cpp: pictures of either kind of domain
#include "mottle/frame/canvas.h"

#include <algorithm>
#include <limits>

namespace mottle::frame {
namespace {

std::array<int, 2> size_of(const Style& style, const domain::Domain& domain, backend::Picture::Format format) {
    if (std::holds_alternative<domain::Mesh>(domain)) {
        const int odd = format == backend::Picture::Format::yuv420 ? 1 : 0;
        return {style.pixels[0] & ~odd, style.pixels[1] & ~odd};
    }
    backend::Picture picture;
    picture.format = format;
    picture.scale = std::max(style.scale, 1);
    return backend::picture_size(picture, domain);
}

}  // namespace

backend::Picture::Format still_format(const Style& style, const domain::Domain& domain) {
    if (!std::holds_alternative<domain::Mesh>(domain)) return backend::Picture::Format::index;
    return style.background ? backend::Picture::Format::rgb24 : backend::Picture::Format::rgba32;
}

Canvas::Canvas(const Style& style, const field::Field& field, std::optional<std::array<double, 2>> declared_range, Format format,
               core::Index frames, std::shared_ptr<SurfaceLight> light, core::Context& context)
    : style_(style),
      painter_(style, field, declared_range),
      format_(format),
      frames_(frames),
      light_(light ? std::move(light) : std::make_shared<SurfaceLight>()),
      context_(context),
      size_(size_of(style, field.kernel().domain(), format)) {
    if (std::holds_alternative<domain::Mesh>(field.kernel().domain())) open_caster_ = open_caster_module();
}

std::array<Rgb, 256> Canvas::colours() const {
    return open_caster_ ? surface_colours(palette(style_.palette), style_.background) : palette(style_.palette);
}

void Canvas::draw(const field::Field& field, std::span<std::uint8_t> out) {
    if (open_caster_) return draw_surface(field, out);
    field.kernel().draw(field.state(), painter_.picture(field, format_), out);
}

void Canvas::draw_surface(const field::Field& field, std::span<std::uint8_t> out) {
    const auto& mesh = std::get<domain::Mesh>(field.kernel().domain());
    const double turned = frames_ > 1 ? style_.turn * static_cast<double>(drawn_) / static_cast<double>(frames_) : 0;
    if (!view_)
        view_.emplace(light_->on(*mesh.surface, open_caster_, context_.team), style_.camera, size_, style_.turn != 0, style_.background,
                      context_.team);
    else if (frames_ > 1 && style_.turn != 0)
        view_->turn(turned);
    ++drawn_;
    const backend::Picture picture = painter_.picture(field, format_);
    values_.resize(view_->vertex_count(), std::numeric_limits<float>::quiet_NaN());  // outside the region there is no value
    field.kernel().read_row(field.state(), picture.array, 0, std::span(values_).first(static_cast<std::size_t>(mesh.vertex_count())));
    view_->draw(picture, values_, out);
}

}  // namespace mottle::frame
