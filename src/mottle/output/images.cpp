// mottle/output/images.cpp: pictures as PNG files of palette indices
#include "mottle/output/images.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/image/png.h"
#include "mottle/output/continuation.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace mottle::output {
namespace {

constexpr core::Index kLargestPicture = core::Index{1} << 30;  // bytes of one held until the end

}  // namespace

Still::Still(const frame::Canvas& canvas) : indexed_(canvas.format() == frame::Canvas::Format::index) {
    const auto [width, height] = canvas.size();
    std::vector<std::uint8_t> pixels(canvas.bytes());
    if (!indexed_) {
        colours_ = {width, height, canvas.format() == frame::Canvas::Format::rgba32 ? 4 : 3, std::move(pixels)};
        return;
    }
    indices_ = {width, height, std::move(pixels), {}};
    for (const auto& colour : canvas.colours()) indices_.palette.insert(indices_.palette.end(), colour.begin(), colour.end());
}

std::span<std::uint8_t> Still::pixels() { return indexed_ ? indices_.indices : colours_.pixels; }

void Still::write(const std::filesystem::path& path) const {
    if (indexed_)
        image::write_png(path, indices_);
    else
        image::write_png(path, colours_);
}

LastPicture::LastPicture(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context)
    : name_(name),
      canvas_(spec.style, field, spec.declared_range, frame::still_format(spec.style, field.kernel().domain()), spec.frame_count,
              spec.light, context),
      still_(canvas_) {}

void LastPicture::write(core::Moment, field::Field& field) {
    canvas_.draw(field, still_.pixels());
    drawn_ = true;
}

void LastPicture::finish() {
    if (finished_ || !drawn_) return;
    finished_ = true;
    const core::Stopwatch watch(seconds_);
    still_.write(name_.at(0));
}

std::vector<std::filesystem::path> LastPicture::files() const {
    if (!finished_) return {};
    return {name_.at(0)};
}

SpaceTimePicture::SpaceTimePicture(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context)
    : name_(name),
      scale_(std::max(spec.style.scale, 1)),
      canvas_(spec.style, field, spec.declared_range, frame::Canvas::Format::index, spec.frame_count, spec.light, context),
      strip_(canvas_.bytes()) {
    const core::Index frames = std::max<core::Index>(spec.frame_count, 1), row = core::Index{canvas_.size()[0]} * scale_;
    if (frames > kLargestPicture / row) {
        throw core::InputError("'" + spec.file.string() + "' would show " + core::grouped(frames) + " frames of a row, " +
                               std::to_string(canvas_.size()[0]) +
                               " pixels wide, below each other, which is more than 1 GiB; use --frames " +
                               std::to_string(std::max<core::Index>(kLargestPicture / row, 1)) + " or fewer");
    }
    rows_.reserve(core::at(frames) * core::at(canvas_.size()[0]));
    if (spec.frames_kept > 0) read_rows(spec);
}

int SpaceTimePicture::height_of(int frames) const { return std::max(scale_, (frame::kStripHeight + frames - 1) / frames); }

void SpaceTimePicture::read_rows(const SinkSpec& spec) {
    image::Image old;
    try {
        old = image::read_png(name_.at(0));
    } catch (const core::InputError&) {
        refuse_continuing(spec, "it is not a readable picture");
    }
    const auto width = core::at(canvas_.size()[0]), channels = core::at(old.channels);
    if (old.width != canvas_.size()[0] || channels < 3) refuse_continuing(spec, "it shows a row of another length");
    const std::size_t bytes = width * channels;
    const auto row = [&](int y) { return old.pixels.begin() + static_cast<std::ptrdiff_t>(core::at(y) * bytes); };
    // It may show more frames than are kept. How many decides how high each of them is.
    if (spec.frames_kept > old.height) refuse_continuing(spec, "it shows fewer");
    int frames = static_cast<int>(spec.frames_kept);
    const auto fits = [&] {
        const int high = height_of(frames);
        if (frames * high != old.height) return false;
        for (int y = 0; y < old.height; ++y) {
            if (!std::equal(row(y), row(y + 1), row(y - y % high))) return false;
        }
        return true;
    };
    while (frames <= old.height && !fits()) ++frames;
    if (frames > old.height) refuse_continuing(spec, "it shows fewer");
    std::map<std::array<std::uint8_t, 3>, std::uint8_t> index_of;
    std::uint8_t index = 0;
    for (const auto& colour : canvas_.colours()) index_of.emplace(colour, index++);
    const int high = height_of(frames);
    for (int frame = 0; frame < spec.frames_kept; ++frame) {
        for (std::size_t x = 0; x < width; ++x) {
            const auto pixel = row(frame * high) + static_cast<std::ptrdiff_t>(x * channels);
            const auto found = index_of.find({pixel[0], pixel[1], pixel[2]});
            if (found == index_of.end()) refuse_continuing(spec, "it has the colours of another palette");
            rows_.push_back(found->second);
        }
    }
    changed_ = true;
}

void SpaceTimePicture::write(core::Moment, field::Field& field) {
    canvas_.draw(field, strip_);
    rows_.insert(rows_.end(), strip_.begin(), strip_.begin() + canvas_.size()[0]);
    changed_ = true;
}

void SpaceTimePicture::publish() {
    if (!finished_ && std::exchange(changed_, false)) save(core::Survives::power_failures);
}

void SpaceTimePicture::finish() {
    if (finished_ || rows_.empty()) return;
    finished_ = true;
    if (std::exchange(changed_, false)) save(core::Survives::kills);
}

void SpaceTimePicture::save(core::Survives survives) {
    const core::Stopwatch watch(seconds_);
    const int width = canvas_.size()[0], frames = static_cast<int>(rows_.size() / core::at(width));
    const int high = height_of(frames);
    image::IndexedImage picture{width, frames * high, {}, {}};
    picture.indices.reserve(rows_.size() * core::at(high));
    for (auto row = rows_.begin(); row != rows_.end(); row += width) {
        for (int k = 0; k < high; ++k) picture.indices.insert(picture.indices.end(), row, row + width);
    }
    for (const auto& colour : canvas_.colours()) picture.palette.insert(picture.palette.end(), colour.begin(), colour.end());
    image::write_png(name_.at(0), picture, survives);
}

std::vector<std::filesystem::path> SpaceTimePicture::files() const {
    if (!finished_) return {};
    return {name_.at(0)};
}

NumberedPictures::NumberedPictures(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context)
    : name_(name),
      canvas_(spec.style, field, spec.declared_range, frame::still_format(spec.style, field.kernel().domain()), spec.frame_count,
              spec.light, context),
      still_(canvas_),
      first_(1 + spec.frames_before),
      queue_(canvas_.bytes(), [this](std::span<const std::uint8_t> frame) {
          std::copy(frame.begin(), frame.end(), still_.pixels().begin());
          still_.write(name_.at(first_ + written_));
          ++written_;
      }) {
    canvas_.skip(spec.frames_before);
}

void NumberedPictures::write(core::Moment, field::Field& field) {
    const std::span<std::uint8_t> buffer = queue_.acquire();
    queue_.push(canvas_.begin_draw(field, buffer));
}

void NumberedPictures::finish() {
    if (finished_) return;
    finished_ = true;
    queue_.close();
}

std::vector<std::filesystem::path> NumberedPictures::files() const {
    if (!finished_ || written_ == 0) return {};
    if (written_ == 1) return {name_.at(first_)};
    return {name_.at(first_), name_.at(first_ + written_ - 1)};
}

}  // namespace mottle::output
