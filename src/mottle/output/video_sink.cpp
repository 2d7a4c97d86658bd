// mottle/output/video_sink.cpp: size and rate of a video, and its way through the encoder to its name
#include "mottle/output/video_sink.h"

#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/output/continuation.h"
#include "mottle/output/gif_join.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace mottle::output {
namespace {

/// Players blur what they enlarge; so small grids are enlarged here, by whole pixels.
constexpr core::Index kSmallestWidth = 512;
/// No picture is enlarged beyond this height.
constexpr core::Index kTallest = 4096;

/// Cells per pixel, where no number is given: more than one where a picture would have more than `largest` pixels a side, and then it gets at most kTallest.
int chosen_cells(const SinkSpec& spec, core::Index columns, core::Index rows, int largest) {
    const auto [least, most] = std::minmax(columns, rows);
    if (spec.style.cells > 0) return spec.style.cells;
    if (spec.style.scale > 0 || most <= largest) return 1;
    constexpr core::Index kFewestPixels = 2;
    return static_cast<int>(std::clamp((most + kTallest - 1) / kTallest, core::Index{1}, std::max(least / kFewestPixels, core::Index{1})));
}

/// Sets pixels per cell and cells per pixel of a grid. Throws: InputError if the picture does not fit the format.
void choose_size(frame::Style& style, const SinkSpec& spec, backend::Picture::Format format, int largest, const domain::Domain& domain) {
    const core::Index columns = domain::row_length(domain), rows = backend::picture_rows(domain);
    backend::Picture picture;
    picture.format = format;
    picture.scale = spec.style.scale;
    picture.cells = chosen_cells(spec, columns, rows, largest);
    if (picture.scale == 0) {
        core::Index scale = std::min((kSmallestWidth + columns - 1) / columns, std::max(kTallest / rows, core::Index{1}));
        if (format == backend::Picture::Format::yuv420 && (rows == 1 || columns == 1)) scale = std::max<core::Index>(scale, 2);
        const bool odd = columns % 2 != 0 || rows % 2 != 0;
        if (format == backend::Picture::Format::yuv420 && odd && scale > 1) scale += scale % 2;
        scale = std::min(scale, largest / std::max(columns, rows));
        picture.scale = picture.cells > 1 ? 1 : static_cast<int>(std::max<core::Index>(scale, 1));
    }
    const auto size = backend::picture_size(picture, domain);
    if (std::max(size[0], size[1]) > largest || std::min(size[0], size[1]) < 1) {
        const bool small = std::min(size[0], size[1]) < 1;
        throw core::InputError(
            "'" + spec.file.string() + "' would be " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + " pixels (" +
            domain::describe(domain) + ", " +
            (picture.cells > 1 ? std::to_string(picture.cells) + " cells per pixel" : std::to_string(picture.scale) + " pixels per cell") +
            "), and this kind of file takes " +
            (small ? std::string("2 pixels a side at least; set ") + (picture.cells > 1 ? "fewer cells per pixel" : "more pixels per cell")
                   : std::to_string(largest) + " pixels a side at most; write name-%05d.png, or set " +
                         (picture.scale > 1 ? "fewer pixels per cell" : "more --cells-per-pixel")));
    }
    style.scale = picture.scale;
    style.cells = picture.cells;
}

/// Sides of a video with colours of half the resolution are even: "" or what an odd one loses of the picture.
std::string notice_of_cut(const SinkSpec& spec, const frame::Style& style, std::array<int, 2> size, const domain::Domain& domain) {
    std::array<int, 2> whole = style.pixels;
    if (std::holds_alternative<domain::Grid>(domain)) {
        backend::Picture picture;
        picture.scale = style.scale;
        picture.cells = style.cells;
        whole = backend::picture_size(picture, domain);
    }
    if (whole[0] <= size[0] && whole[1] <= size[1]) return "";
    return "'" + spec.file.string() + "' shows " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + " of " +
           std::to_string(whole[0]) + "x" + std::to_string(whole[1]) + " pixels, as videos have even sides; --chroma 444 keeps them all";
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

std::string obstacle_to_continuing_gif(const VideoSpec& spec, const std::filesystem::path& path, core::Index frames) {
    const std::string bytes = core::read_file(path).value_or("");
    const std::optional<GifBlocks> gif = parse_gif(bytes);
    if (!gif) return "it is not a readable GIF";
    if (gif->width != spec.width || gif->height != spec.height) return obstacle_of_size({gif->width, gif->height}, spec);
    const std::string_view palette(reinterpret_cast<const char*>(spec.palette.data()), spec.palette.size());
    if (gif->palette != palette) return "it has another palette";
    return std::ssize(gif->frames) < frames ? "it holds " + std::to_string(gif->frames.size()) : "";
}

}  // namespace

VideoSink::VideoSink(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context) : path_(name.at(0)) {
    const domain::Domain& domain = field.kernel().domain();
    const bool gif = name.holds(Contents::animation);
    using Pixels = backend::Picture::Format;
    const Pixels format = gif ? Pixels::index : spec.chroma444 ? Pixels::yuv444 : Pixels::yuv420;
    frame::Style style = spec.style;
    if (std::holds_alternative<domain::Grid>(domain)) choose_size(style, spec, format, gif ? kLargestGif : kLargestMp4, domain);
    canvas_.emplace(style, field, spec.declared_range, format, spec.frame_count, spec.light, context);
    canvas_->skip(spec.frames_before);
    if (const std::string cut = notice_of_cut(spec, style, canvas_->size(), domain); !cut.empty()) context.observer.notice(cut);

    video_.name = path_.string();
    video_.kind = gif ? VideoSpec::Kind::gif : VideoSpec::Kind::mp4;
    video_.width = canvas_->size()[0];
    video_.height = canvas_->size()[1];
    video_.fps = spec.fps;
    if (gif && (spec.fps > kFastestGif || spec.fps < kSlowestGif)) {
        const bool fast = spec.fps > kFastestGif;
        video_.fps = fast ? kFastestGif : kSlowestGif;
        context.observer.notice("'" + spec.file.string() + "' shows " + core::rounded_text(video_.fps, 3) + " frames per second, the " +
                                (fast ? "most that GIF viewers display" : "fewest that a GIF can have") + ", not " +
                                core::number_text(spec.fps));
    }
    video_.chroma444 = spec.chroma444;
    video_.encoders = encoders_of(spec);
    video_.threads = core::available_cores();
    auto next = palette_.begin();
    for (const auto& colour : canvas_->colours()) next = std::copy(colour.begin(), colour.end(), next);
    video_.palette = palette_;
    if (spec.frames_kept > 0) {
        const std::string obstacle = gif ? obstacle_to_continuing_gif(video_, path_, spec.frames_kept)
                                         : obstacle_to_continuing(video_, path_.string(), spec.frames_kept);
        if (!obstacle.empty()) refuse_continuing(spec, obstacle);
    }
    frames_kept_ = spec.frames_kept;
    begin_part();
    if (encoder_->on_card() && spec.encoder == Encoder::automatic)
        context.observer.notice("'" + spec.file.string() + "' is encoded by the GPU; --encoder x264 gives the same bytes on every machine");
}

void VideoSink::begin_part() {
    file_.emplace(path_);
    video_.file = file_->temporary().string();
    encoder_ = open_video(video_);
    queue_.emplace(canvas_->bytes(), [this](std::span<const std::uint8_t> planes) { encoder_->write(planes); });
    frames_ = 0;
}

void VideoSink::write(core::Moment, field::Field& field) {
    if (!queue_) begin_part();
    const std::span<std::uint8_t> buffer = queue_->acquire();
    queue_->push(canvas_->begin_draw(field, buffer));
    ++frames_;
}

void VideoSink::publish() {
    if (queue_ && frames_ > 0) end_part(core::Survives::power_failures);
}

void VideoSink::finish() {
    if (std::exchange(finished_, true) || !queue_) return;
    if (frames_ > 0) return end_part(core::Survives::kills);
    queue_.reset();  // no container may be empty: leave no file
    encoder_.reset();
    file_.reset();
}

void VideoSink::end_part(core::Survives survives) {
    std::exception_ptr failure;
    try {
        queue_->close();
    } catch (const core::OutputError&) {
        failure = std::current_exception();  // of a full disk, which leaves the frames before
    }
    const auto start = core::SteadyClock::now();
    bool closed = false;
    for (int attempt = 0; attempt < 2 && !closed; ++attempt) {  // the last frames may fill the disk, and the second attempt does without
        try {
            encoder_->finish();
            closed = true;
        } catch (const core::OutputError&) {
            if (!failure) failure = std::current_exception();
        }
    }
    encoder_.reset();
    try {
        if (closed) put_in_place(survives);
    } catch (const core::OutputError&) {
        if (!failure) failure = std::current_exception();
    }
    file_.reset();
    const double closing = core::seconds_since(start);
    seconds_ += queue_->seconds() + closing;
    waited_ += queue_->waited() + closing;
    queue_.reset();
    if (failure) std::rethrow_exception(failure);
}

void VideoSink::put_in_place(core::Survives survives) {
    if (frames_kept_ == 0) {
        file_->commit(survives);
    } else {
        core::AtomicFile whole(path_);
        if (video_.kind == VideoSpec::Kind::gif) {
            const std::string joined = join_gifs(core::read_file(path_).value_or(""), core::at(frames_kept_),
                                                 core::read_file(file_->temporary()).value_or(""), video_.fps);
            whole.write(std::as_bytes(std::span(joined)));
        } else {
            join_videos({.first = path_.string(),
                         .second = file_->temporary().string(),
                         .target = whole.temporary().string(),
                         .frames = frames_kept_,
                         .fps = video_.fps,
                         .name = video_.name});
        }
        whole.commit(survives);
    }
    frames_kept_ += frames_;
}

std::vector<std::filesystem::path> VideoSink::files() const {
    if (!finished_ || frames_kept_ == 0) return {};
    return {path_};
}

}  // namespace mottle::output
