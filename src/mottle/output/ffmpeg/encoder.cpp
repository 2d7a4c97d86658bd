// mottle/output/ffmpeg/encoder.cpp: the settings of the codecs, and frames -> packets -> file
#include "mottle/output/ffmpeg/encoder.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/output/ffmpeg/disk_space.h"
#include "mottle/output/ffmpeg/handles.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace mottle::output::ffmpeg {
namespace {

/// Added to the level of what codecs log: nothing below apps/ prints, and FFmpeg's own log level is global to the process. Levels have 8 bits.
constexpr int kSilence = 128;
constexpr int kMostPlanes = 3;
constexpr int kLookahead = 3;  // frames of more than kLargeFrame pixels, as many as B-frames want

/// What the index of a file takes at most: of itself, and for each frame.
constexpr std::int64_t kIndexBytes = 16384, kIndexBytesPerFrame = 64;

struct Option {
    const char *key, *value;
};

/// A codec of FFmpeg and how it is set up.
struct Codec {
    const char* name;
    std::span<const Option> options;
};

constexpr Option kX264Options[] = {
    {"preset", "veryfast"},
    {"crf", "18"},
    // No adaptive quantisation: it is made for films and takes bits from the edges of patterns (36 dB instead of 41 on labyrinths).
    {"tune", "psnr"},
};
/// The quantisers that crf 18 stands for, without adaptive quantisation either: 18, 3 less for I frames, 2 more for B frames (x264's ratios of 1.4 and 1.3).
constexpr Option kNvencOptions[] = {
    {"preset", "p5"},  {"tune", "hq"},     {"profile", "high"},  // it takes high444p by itself where planes are 4:4:4
    {"rc", "constqp"}, {"init_qpP", "18"}, {"init_qpI", "15"},  {"init_qpB", "20"},
};
constexpr Codec kGif{"gif", {}}, kX264{"libx264", kX264Options}, kNvenc{"h264_nvenc", kNvencOptions};

struct CodecDeleter {
    void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
};
struct FrameDeleter {
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

class Encoder : public VideoEncoder {
   public:
    explicit Encoder(const VideoSpec& spec) : name_(spec.name) {
        const bool gif = spec.kind == VideoSpec::Kind::gif;
        AVFormatContext* format = nullptr;
        check(avformat_alloc_output_context2(&format, nullptr, gif ? "gif" : "mp4", nullptr), "making the container");
        format_.reset(format);
        open_codec(spec);
        stream_ = avformat_new_stream(format, nullptr);
        if (!stream_) check(AVERROR(ENOMEM), "making the stream");
        check(avcodec_parameters_from_context(stream_->codecpar, codec_.get()), "describing the stream");
        stream_->time_base = codec_->time_base;
        stream_->avg_frame_rate = codec_->framerate;
        check(avio_open(&format->pb, ("file:" + spec.file).c_str(), AVIO_FLAG_WRITE), "opening the file");
        check(avformat_write_header(format, nullptr), "writing the header");
        begun_ = true;
        bytes_ = avio_tell(format->pb);
        space_.emplace(spec.file);
        make_frame(spec);
        packet_.reset(av_packet_alloc());
        if (!packet_) check(AVERROR(ENOMEM), "making a packet");
    }

    /// The GIF muxer frees what it holds only with the trailer, so one is written even where nobody will see it.
    ~Encoder() override {
        if (begun_) av_write_trailer(format_.get());
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    void write(std::span<const std::uint8_t> planes) override {
        check(av_frame_make_writable(frame_.get()), "making room for a frame");  // the GIF encoder keeps the frame before
        for (int plane = 0; plane < planes_; ++plane) {
            const auto k = core::at(plane);
            for (int y = 0; y < height_[k]; ++y) {
                const auto width = core::at(width_[k]);
                std::memcpy(frame_->data[k] + std::ptrdiff_t{y} * frame_->linesize[k], planes.data(), width);
                planes = planes.subspan(width);
            }
        }
        frame_->pts = next_++;
        check(avcodec_send_frame(codec_.get(), frame_.get()), "encoding");
        drain();
    }

    void finish() override {
        if (!begun_) check(AVERROR(EIO), "closing the file");
        if (full_ != 0) {
            if (packets_ == 0) check(AVERROR(full_), "writing");
        } else {
            check(avcodec_send_frame(codec_.get(), nullptr), "encoding the last frames");
            drain();
        }
        begun_ = false;
        check(av_write_trailer(format_.get()), "writing the index");
        check_file();
        check(avio_closep(&format_->pb), "closing the file");
        space_->release();
    }

    bool on_card() const override { return on_card_; }

   private:
    void check(int code, const char* doing) const {
        if (code < 0) throw core::OutputError("cannot write " + name_ + ": " + doing + ": " + words_of(code));
    }

    /// Writing is buffered: an error may show only later, and only here.
    void check_file() const {
        avio_flush(format_->pb);
        check(format_->pb->error, "writing");
    }

    /// The first of the codecs that this machine can open.
    void open_codec(const VideoSpec& spec) {
        if (spec.kind == VideoSpec::Kind::gif) return require(kGif, try_codec(kGif, spec));
        for (const H264 encoder : spec.encoders) {
            const Codec& codec = encoder == H264::nvenc ? kNvenc : kX264;
            const int code = try_codec(codec, spec);
            if (code < 0 && encoder != spec.encoders.back()) continue;
            require(codec, code);
            on_card_ = encoder == H264::nvenc;
            return;
        }
    }

    /// Throws: what it means that opening `codec` gave `code`.
    void require(const Codec& codec, int code) const {
        if (code >= 0) return;
        if (&codec == &kNvenc) {
            throw core::DeviceError(
                "no GPU can encode " + name_ + " (" + words_of(code) +
                "): that takes an NVIDIA GPU with NVENC, which H100 and H200 lack, its driver, an FFmpeg built for it, and "
                "at most 4096 pixels a side; use --encoder x264");
        }
        if (code == AVERROR_ENCODER_NOT_FOUND) {
            throw core::DeviceError(std::string("this FFmpeg has no encoder '") + codec.name + "', which " +
                                    (&codec == &kGif ? ".gif" : ".mp4") +
                                    " needs; install an FFmpeg built with it (Debian, Ubuntu: libavcodec-extra), or write name-%05d.png");
        }
        check(code, "opening the encoder");
    }

    int try_codec(const Codec& settings, const VideoSpec& spec) {
        const AVCodec* codec = avcodec_find_encoder_by_name(settings.name);
        if (!codec) return AVERROR_ENCODER_NOT_FOUND;
        codec_.reset(avcodec_alloc_context3(codec));
        if (!codec_) return AVERROR(ENOMEM);
        AVCodecContext& context = *codec_;
        context.log_level_offset = kSilence;
        context.width = spec.width;
        context.height = spec.height;
        context.framerate = av_d2q(spec.fps, 1001000);
        context.time_base = av_inv_q(context.framerate);
        context.sample_aspect_ratio = {1, 1};
        context.thread_count = spec.threads;
        if (format_->oformat->flags & AVFMT_GLOBALHEADER) context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        if (&settings == &kGif) {
            context.pix_fmt = AV_PIX_FMT_PAL8;
        } else {
            context.pix_fmt = spec.chroma444 ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
            context.color_range = AVCOL_RANGE_MPEG;
            context.colorspace = AVCOL_SPC_BT709;
            context.color_primaries = AVCOL_PRI_BT709;
            context.color_trc = AVCOL_TRC_BT709;
            if (!spec.chroma444) context.chroma_sample_location = AVCHROMA_LOC_CENTER;  // the mean of four pixels
        }
        for (const Option& option : settings.options) {
            if (const int code = av_opt_set(&context, option.key, option.value, AV_OPT_SEARCH_CHILDREN); code < 0) return code;
        }
        if (&settings == &kX264 && std::int64_t{spec.width} * spec.height > kLargeFrame) {
            check(av_opt_set_int(context.priv_data, "rc-lookahead", kLookahead, 0), "setting the memory");
            check(av_opt_set(context.priv_data, "x264-params", "sync-lookahead=0", 0), "setting the memory");
        }
        return avcodec_open2(codec_.get(), codec, nullptr);
    }

    void make_frame(const VideoSpec& spec) {
        frame_.reset(av_frame_alloc());
        if (!frame_) check(AVERROR(ENOMEM), "making a frame");
        AVFrame& frame = *frame_;
        frame.format = codec_->pix_fmt;
        frame.width = spec.width;
        frame.height = spec.height;
        frame.color_range = codec_->color_range;
        frame.colorspace = codec_->colorspace;
        frame.color_primaries = codec_->color_primaries;
        frame.color_trc = codec_->color_trc;
        frame.chroma_location = codec_->chroma_sample_location;
        check(av_frame_get_buffer(&frame, 0), "making a frame");
        const bool gif = spec.kind == VideoSpec::Kind::gif;
        planes_ = gif ? 1 : kMostPlanes;
        for (std::size_t k = 0; k < kMostPlanes; ++k) {
            const bool halved = k > 0 && !gif && !spec.chroma444;
            width_[k] = halved ? spec.width / 2 : spec.width;
            height_[k] = halved ? spec.height / 2 : spec.height;
        }
        if (!gif) return;
        for (std::size_t i = 0; i < 256; ++i) {
            const std::uint32_t r = spec.palette[3 * i], g = spec.palette[3 * i + 1], b = spec.palette[3 * i + 2];
            const std::uint32_t colour = 0xFF000000U | r << 16 | g << 8 | b;
            std::memcpy(frame.data[1] + 4 * i, &colour, sizeof colour);
        }
    }

    /// Writes the packets that are ready.
    void drain() {
        for (;;) {
            const int code = avcodec_receive_packet(codec_.get(), packet_.get());
            if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
            check(code, "encoding");
            hold_space();
            packet_->stream_index = stream_->index;
            packet_->duration = 1;
            av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
            check(av_interleaved_write_frame(format_.get(), packet_.get()), "writing");
            check(format_->pb->error, "writing");
            ++packets_;
        }
    }

    /// For this packet and for the index that makes a file of all so far: once the disk is full, there is room for nothing else.
    void hold_space() {
        bytes_ += packet_->size;
        full_ = space_->hold(bytes_ + kIndexBytes + kIndexBytesPerFrame * (packets_ + 1));
        if (full_ == 0) return;
        av_packet_unref(packet_.get());
        const std::string kept = packets_ == 0 ? "" : "; the " + std::to_string(packets_) + " frames before are kept";
        throw core::OutputError("cannot write " + name_ + ": " + words_of(AVERROR(full_)) + kept);
    }

    std::string name_;
    Output format_;
    std::unique_ptr<AVCodecContext, CodecDeleter> codec_;
    std::unique_ptr<AVFrame, FrameDeleter> frame_;
    Packet packet_;
    AVStream* stream_ = nullptr;
    int planes_ = 0;
    int width_[kMostPlanes] = {}, height_[kMostPlanes] = {};
    std::int64_t next_ = 0, packets_ = 0, bytes_ = 0;
    std::optional<DiskSpace> space_;
    int full_ = 0;  ///< why the disk took no more frames
    bool on_card_ = false;
    bool begun_ = false;  ///< the header is written, the trailer is not
};

}  // namespace

std::unique_ptr<VideoEncoder> open_encoder(const VideoSpec& spec) { return std::make_unique<Encoder>(spec); }

}  // namespace mottle::output::ffmpeg
