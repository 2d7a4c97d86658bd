// mottle/output/ffmpeg/joiner.cpp: packets of two videos, one after the other, into a third
#include "mottle/output/ffmpeg/joiner.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/output/ffmpeg/handles.h"

#include <algorithm>
#include <cmath>

namespace mottle::output::ffmpeg {
namespace {

struct InputDeleter {
    void operator()(AVFormatContext* format) const { avformat_close_input(&format); }
};
using Input = std::unique_ptr<AVFormatContext, InputDeleter>;

/// Nothing below apps/ prints, and FFmpeg's containers know no log level of their own.
class Silence {
   public:
    Silence() { av_log_set_level(AV_LOG_QUIET); }
    ~Silence() { av_log_set_level(before_); }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    int before_ = av_log_get_level();
};

/// A file with one stream of video, or nothing.
Input open_input(const std::string& file) {
    const Silence silence;
    AVFormatContext* format = nullptr;
    if (avformat_open_input(&format, ("file:" + file).c_str(), nullptr, nullptr) < 0) return nullptr;
    Input input(format);
    if (avformat_find_stream_info(format, nullptr) < 0 || format->nb_streams != 1) return nullptr;
    if (format->streams[0]->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) return nullptr;
    return input;
}

/// The number of frames of a video, and whether frame `at` begins anew: a decoder needs none of those before.
struct Frames {
    std::int64_t count = 0;
    bool begins_anew = false;
};

Frames count_frames(AVFormatContext& input, std::int64_t at) {
    Frames frames;
    const Packet packet(av_packet_alloc());
    while (packet && av_read_frame(&input, packet.get()) >= 0) {
        if (frames.count++ == at) frames.begins_anew = (packet->flags & AV_PKT_FLAG_KEY) != 0;
        av_packet_unref(packet.get());
    }
    return frames;
}

class Joiner {
   public:
    explicit Joiner(const VideoJoin& work)
        : name_(work.name), frame_time_(av_inv_q(av_d2q(work.fps, 1001000))), packet_(av_packet_alloc()) {
        if (!packet_) check(AVERROR(ENOMEM), "making a packet");
        const Input first = input(work.first), second = input(work.second);
        begin(*first->streams[0], work);
        delay_ = std::max(delay_of(work.first), delay_of(work.second));
        copy(*first, work.frames);
        copy(*second, -1);
        check(av_write_trailer(output_.get()), "writing the index");
        avio_flush(output_->pb);
        check(output_->pb->error, "writing");
    }

   private:
    void check(int code, const char* doing) const {
        if (code < 0) throw core::OutputError("cannot write " + name_ + ": joining its parts: " + doing + ": " + words_of(code));
    }

    Input input(const std::string& file) const {
        Input input = open_input(file);
        if (!input) throw core::OutputError("cannot write " + name_ + ": its part " + file + " cannot be read");
        return input;
    }

    void begin(const AVStream& model, const VideoJoin& work) {
        AVFormatContext* format = nullptr;
        check(avformat_alloc_output_context2(&format, nullptr, "mp4", nullptr), "making the container");
        output_.reset(format);
        stream_ = avformat_new_stream(format, nullptr);
        if (!stream_) check(AVERROR(ENOMEM), "making the stream");
        check(avcodec_parameters_copy(stream_->codecpar, model.codecpar), "describing the stream");
        stream_->codecpar->codec_tag = 0;
        stream_->time_base = model.time_base;
        stream_->avg_frame_rate = av_inv_q(frame_time_);
        check(avio_open(&format->pb, ("file:" + work.target).c_str(), AVIO_FLAG_WRITE), "opening the file");
        check(avformat_write_header(format, nullptr), "writing the header");
    }

    /// The first `most` frames, all where it is negative; they follow those that were copied before.
    void copy(AVFormatContext& input, std::int64_t most) {
        const AVRational from = input.streams[0]->time_base;
        const std::int64_t shift = av_rescale_q(frames_, frame_time_, from);
        for (std::int64_t taken = 0; taken != most; ++taken) {
            const int code = av_read_frame(&input, packet_.get());
            if (code == AVERROR_EOF) return;
            check(code, "reading");
            packet_->pts += shift;
            packet_->dts = av_rescale_q(frames_ - delay_, frame_time_, from);
            av_packet_rescale_ts(packet_.get(), from, stream_->time_base);
            packet_->pos = -1;
            packet_->stream_index = 0;
            check(av_interleaved_write_frame(output_.get(), packet_.get()), "writing");
            check(output_->pb->error, "writing");
            ++frames_;
        }
    }

    /// By how many frames a video is decoded before it is shown; a few frames are encoded without any that look ahead.
    std::int64_t delay_of(const std::string& file) const {
        const Input probed = input(file);
        const Packet packet(av_packet_alloc());
        std::int64_t delay = 0;
        if (packet && av_read_frame(probed.get(), packet.get()) >= 0)
            delay = av_rescale_q(packet->pts - packet->dts, probed->streams[0]->time_base, frame_time_);
        return delay;
    }

    std::string name_;
    AVRational frame_time_;
    std::int64_t delay_ = 0;  ///< of the whole
    Packet packet_;
    Output output_;
    AVStream* stream_ = nullptr;
    std::int64_t frames_ = 0;
};

}  // namespace

std::string obstacle_to_continuing(const VideoSpec& spec, const std::string& file, std::int64_t frames) {
    const Input input = open_input(file);
    if (!input) return "it is not a readable video";
    const AVCodecParameters& stream = *input->streams[0]->codecpar;
    if (stream.width != spec.width || stream.height != spec.height) return obstacle_of_size({stream.width, stream.height}, spec);
    if (stream.codec_id != AV_CODEC_ID_H264) return "it is encoded in another way";
    if (stream.format != (spec.chroma444 ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P)) return "its colours are sampled in another way";
    const double fps = av_q2d(input->streams[0]->avg_frame_rate);
    if (std::abs(fps - spec.fps) > 1e-3 * spec.fps)
        return "it shows " + core::rounded_text(fps, 6) + " frames per second, and this run " + core::rounded_text(spec.fps, 6);
    const Frames found = count_frames(*input, frames);
    if (found.count < frames) return "it holds " + std::to_string(found.count);
    if (found.count > frames && !found.begins_anew) return "it cannot be cut after so many";
    return "";
}

void join(const VideoJoin& work) { const Joiner joined(work); }

}  // namespace mottle::output::ffmpeg
