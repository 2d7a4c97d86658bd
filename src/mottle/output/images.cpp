// mottle/output/images.cpp: pictures as PNG files of palette indices
#include "mottle/output/images.h"

#include "mottle/image/png.h"

#include <algorithm>
#include <chrono>

namespace mottle::output {
namespace {

/// The size of the pictures of `style`, and their palette.
image::IndexedImage blank_image(const frame::Style& style, const domain::Domain& domain) {
    backend::Picture picture;
    picture.format = backend::Picture::Format::index;
    picture.scale = std::max(style.scale, 1);
    const auto size = backend::picture_size(picture, domain);
    image::IndexedImage image{size[0], size[1], std::vector<std::uint8_t>(backend::picture_bytes(picture, domain)), {}};
    for (const auto& colour : frame::palette(style.palette)) image.palette.insert(image.palette.end(), colour.begin(), colour.end());
    return image;
}

}  // namespace

LastPicture::LastPicture(const FileName& name, const SinkSpec& spec, const field::Field& field)
    : name_(name), painter_(spec.style, field, spec.declared_range), image_(blank_image(spec.style, field.kernel().domain())) {}

void LastPicture::write(core::Moment, field::Field& field) {
    field.kernel().draw(field.state(), painter_.picture(field, backend::Picture::Format::index), image_.indices);
    drawn_ = true;
}

void LastPicture::finish() {
    if (finished_ || !drawn_) return;
    finished_ = true;
    const auto start = std::chrono::steady_clock::now();
    image::write_png(name_.at(0), image_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::filesystem::path> LastPicture::files() const {
    if (!finished_) return {};
    return {name_.at(0)};
}

NumberedPictures::NumberedPictures(const FileName& name, const SinkSpec& spec, const field::Field& field)
    : name_(name),
      painter_(spec.style, field, spec.declared_range),
      image_(blank_image(spec.style, field.kernel().domain())),
      queue_(image_.indices.size(), [this](std::span<const std::uint8_t> frame) {
          std::copy(frame.begin(), frame.end(), image_.indices.begin());
          image::write_png(name_.at(written_ + 1), image_);
          ++written_;
      }) {}

void NumberedPictures::write(core::Moment, field::Field& field) {
    const std::span<std::uint8_t> buffer = queue_.acquire();
    field.kernel().draw(field.state(), painter_.picture(field, backend::Picture::Format::index), buffer);
    queue_.push();
}

void NumberedPictures::finish() {
    if (finished_) return;
    finished_ = true;
    queue_.close();
}

std::vector<std::filesystem::path> NumberedPictures::files() const {
    if (!finished_ || written_ == 0) return {};
    if (written_ == 1) return {name_.at(1)};
    return {name_.at(1), name_.at(written_)};
}

}  // namespace mottle::output
