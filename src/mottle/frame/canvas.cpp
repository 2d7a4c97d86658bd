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
    picture.cells = std::max(style.cells, 1);
    std::array<int, 2> size = backend::picture_size(picture, domain);
    // one pixel row may be too few for the format: that is the caller's to refuse
    if (backend::picture_rows(domain) == 1 && size[1] > 0) size[1] = std::max(size[1], kStripHeight);
    return size;
}

}  // namespace

bool is_line(const domain::Domain& domain) {
    const auto* grid = std::get_if<domain::Grid>(&domain);
    return grid && grid->size[1] == 1 && grid->size[2] == 1;
}

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
    if (const auto finish = begin_draw(field, out)) finish();
}

std::function<void()> Canvas::begin_draw(const field::Field& field, std::span<std::uint8_t> out) {
    if (!open_caster_ && backend::picture_rows(field.kernel().domain()) > 1)
        return field.kernel().begin_draw(field.state(), painter_.picture(field, format_), out);
    if (open_caster_) return draw_surface(field, out);
    draw_strip(field, out);
    return {};
}

// All pixel rows of one row of cells are alike: the first of each plane is repeated.
void Canvas::draw_strip(const field::Field& field, std::span<std::uint8_t> out) {
    const backend::Picture picture = painter_.picture(field, format_);
    const std::array<int, 2> thin = backend::picture_size(picture, field.kernel().domain());
    thin_.resize(backend::picture_bytes(format_, thin));
    field.kernel().draw(field.state(), picture, thin_);
    const auto width = core::at(thin[0]);
    const auto from_rows = core::at(thin[1]), to_rows = core::at(size_[1]);
    const std::size_t bytes = format_ == Format::rgba32 ? 4 : format_ == Format::rgb24 ? 3 : 1;
    const std::size_t planes = format_ == Format::yuv420 || format_ == Format::yuv444 ? 3 : 1;
    auto from = thin_.begin();
    auto to = out.begin();
    for (std::size_t plane = 0; plane < planes; ++plane) {
        const std::size_t halved = format_ == Format::yuv420 && plane > 0 ? 2 : 1;
        const auto row = static_cast<std::ptrdiff_t>(bytes * width / halved);
        for (std::size_t y = 0; y < to_rows / halved; ++y) to = std::copy_n(from, row, to);
        from += static_cast<std::ptrdiff_t>(from_rows / halved) * row;
    }
}

std::function<void()> Canvas::draw_surface(const field::Field& field, std::span<std::uint8_t> out) {
    const auto& mesh = std::get<domain::Mesh>(field.kernel().domain());
    const double turned = frames_ > 1 ? style_.turn * static_cast<double>(drawn_) / static_cast<double>(frames_) : 0;
    if (!view_)
        view_.emplace(light_->on(*mesh.surface, open_caster_, context_.team), style_.camera, size_, style_.turn != 0, style_.background,
                      context_.team);
    if (drawn_ > 0 && frames_ > 1 && style_.turn != 0) view_->turn(turned);
    ++drawn_;
    const backend::Picture picture = painter_.picture(field, format_);
    // A camera that stands still and a surface that needs no refining: the kernel may colour what is seen without the values coming here.
    if (style_.turn == 0 && !view_->is_refined()) {
        if (!surface_painter_) surface_painter_ = field.kernel().create_surface_painter(view_->sight());
        if (auto& painter = *surface_painter_; painter && painter->can_draw(picture))
            return painter->begin(field.state(), picture, view_->colours(picture), out);
    }
    values_.resize(view_->vertex_count(), std::numeric_limits<float>::quiet_NaN());  // outside the region there is no value
    field.kernel().read_row(field.state(), picture.array, 0, std::span(values_).first(core::at(mesh.vertex_count())));
    view_->draw(picture, values_, out);
    return {};
}

}  // namespace mottle::frame
