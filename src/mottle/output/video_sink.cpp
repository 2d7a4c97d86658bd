// mottle/output/video_sink.cpp: size and rate of a video, and its way through the encoder to its name
#include "mottle/output/video_sink.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

namespace mottle::output {
namespace {

/// Players blur what they enlarge; so small grids are enlarged here, by whole pixels.
constexpr core::Index kSmallestWidth = 512;
/// No picture is enlarged beyond this height.
constexpr core::Index kTallest = 4096;

/// Pixels per cell of a grid. Throws: InputError if the picture does not fit the format.
int pixels_per_cell(const SinkSpec& spec, backend::Picture::Format format, int largest, const domain::Domain& domain) {
    const core::Index columns = domain::row_length(domain), rows = backend::picture_rows(domain);
    backend::Picture picture;
    picture.format = format;
    picture.scale = spec.style.scale;
    if (picture.scale == 0) {
        core::Index scale = std::min((kSmallestWidth + columns - 1) / columns, std::max(kTallest / rows, core::Index{1}));
        if (format == backend::Picture::Format::yuv420 && (rows == 1 || columns == 1)) scale = std::max<core::Index>(scale, 2);
        scale = std::min(scale, largest / std::max(columns, rows));
        picture.scale = static_cast<int>(std::max<core::Index>(scale, 1));
    }
    const auto size = backend::picture_size(picture, domain);
    if (std::max(size[0], size[1]) > largest || std::min(size[0], size[1]) < 1) {
        const bool small = std::min(size[0], size[1]) < 1;
        throw core::InputError(
            "'" + spec.file.string() + "' would be " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + " pixels (" +
            domain::describe(domain) + ", " + std::to_string(picture.scale) + " pixels per cell), and this kind of file takes " +
            (small ? "2 pixels a side at least; set more pixels per cell"
                   : std::to_string(largest) + " pixels a side at most; write name-%05d.png, or set fewer pixels per cell"));
    }
    return picture.scale;
}

std::vector<H264> encoders_of(const SinkSpec& spec) {
    switch (spec.encoder) {
        case Encoder::nvenc:
            return {H264::nvenc};
        case Encoder::automatic:
            if (spec.on_card) return {H264::nvenc, H264::x264};
            [[fallthrough]];
        case Encoder::x264:
            return {H264::x264};
    }
    throw core::InternalError("an encoder without a name");
}

}  // namespace

VideoSink::VideoSink(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) : path_(name.at(0)) {
    const domain::Domain& domain = field.kernel().domain();
    const bool gif = name.kind() == FileName::Kind::gif;
    using Format = backend::Picture::Format;
    const Format format = gif ? Format::index : spec.chroma444 ? Format::yuv444 : Format::yuv420;
    frame::Style style = spec.style;
    if (std::holds_alternative<domain::Grid>(domain)) style.scale = pixels_per_cell(spec, format, gif ? kLargestGif : kLargestMp4, domain);
    canvas_.emplace(style, field, spec.declared_range, format, spec.frame_count, spec.light, context);
    canvas_->skip(spec.frames_before);

    VideoSpec video;
    video.name = path_.string();
    video.kind = gif ? VideoSpec::Kind::gif : VideoSpec::Kind::mp4;
    video.width = canvas_->size()[0];
    video.height = canvas_->size()[1];
    video.fps = spec.fps;
    if (gif && spec.fps > kFastestGif) {
        video.fps = kFastestGif;
        context.observer.notice("'" + spec.file.string() + "' shows " + core::number_text(kFastestGif) +
                                " frames a second, the most that viewers of GIFs " + "keep up with, not " + core::number_text(spec.fps));
    }
    video.chroma444 = spec.chroma444;
    video.encoders = encoders_of(spec);
    video.threads = core::available_cores();
    std::array<std::uint8_t, 768> colours;
    auto next = colours.begin();
    for (const auto& colour : canvas_->colours()) next = std::copy(colour.begin(), colour.end(), next);
    video.palette = colours;
    file_.emplace(path_);
    video.file = file_->temporary().string();
    encoder_ = open_video(video);
    if (encoder_->on_card() && spec.encoder == Encoder::automatic)
        context.observer.notice("'" + spec.file.string() +
                                "' is encoded by the card; --encoder x264 gives the same bytes on every machine");

    queue_.emplace(canvas_->bytes(), [this](std::span<const std::uint8_t> planes) { encoder_->write(planes); });
}

void VideoSink::write(core::Moment, field::Field& field) {
    const std::span<std::uint8_t> buffer = queue_->acquire();
    queue_->push(canvas_->begin_draw(field, buffer));
    ++frames_;
}

void VideoSink::finish() {
    if (finished_) return;
    finished_ = true;
    std::exception_ptr failure;
    try {
        queue_->close();
    } catch (const core::OutputError&) {
        failure = std::current_exception();  // of a full disk, which leaves the frames before
    }
    if (frames_ == 0) {  // no container may be empty: leave no file
        encoder_.reset();
        file_.reset();
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    for (int attempt = 0; attempt < 2 && !kept_; ++attempt) {  // the last frames may fill the disk, and the second attempt does without
        try {
            encoder_->finish();
            file_->commit();
            kept_ = true;
        } catch (const core::OutputError&) {
            if (!failure) failure = std::current_exception();
        }
    }
    encoder_.reset();
    finish_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (failure) std::rethrow_exception(failure);
}

std::vector<std::filesystem::path> VideoSink::files() const {
    if (!kept_) return {};
    return {path_};
}

}  // namespace mottle::output
