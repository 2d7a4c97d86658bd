// tests/unit/output/ffmpeg/decode.h: videos as FFmpeg's own demuxers and decoders see them
#pragma once
#include <gtest/gtest.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace video {

using Bytes = std::vector<std::uint8_t>;

/// A video as FFmpeg's own demuxer and decoder see it.
struct Decoded {
    int width = 0, height = 0, format = -1;
    AVColorRange range{};
    AVColorSpace space{};
    AVColorPrimaries primaries{};
    AVColorTransferCharacteristic transfer{};
    double seconds = 0, fps = 0;
    std::vector<double> times;  ///< of the frames, in seconds
    std::vector<Bytes> frames;  ///< planes without padding; GIF: BGRA
};

inline void append_plane(Bytes& to, const AVFrame& frame, int plane, int width, int height) {
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* row = frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
        to.insert(to.end(), row, row + width);
    }
}

inline Bytes planes_of(const AVFrame& frame) {
    Bytes bytes;
    if (frame.format == AV_PIX_FMT_BGRA) {
        append_plane(bytes, frame, 0, 4 * frame.width, frame.height);
        return bytes;
    }
    const int half = frame.format == AV_PIX_FMT_YUV420P ? 2 : 1;
    for (int plane = 0; plane < 3; ++plane) {
        append_plane(bytes, frame, plane, plane == 0 ? frame.width : frame.width / half, plane == 0 ? frame.height : frame.height / half);
    }
    return bytes;
}

/// Fails the test (and returns what there is) where a call fails.
inline Decoded decode(const std::filesystem::path& path) {
    Decoded result;
    AVFormatContext* format = nullptr;
    EXPECT_GE(avformat_open_input(&format, path.c_str(), nullptr, nullptr), 0) << path;
    if (!format) return result;
    EXPECT_GE(avformat_find_stream_info(format, nullptr), 0);
    EXPECT_EQ(format->nb_streams, 1U);
    const AVStream* stream = format->streams[0];
    AVCodecContext* codec = avcodec_alloc_context3(avcodec_find_decoder(stream->codecpar->codec_id));
    avcodec_parameters_to_context(codec, stream->codecpar);
    EXPECT_GE(avcodec_open2(codec, nullptr, nullptr), 0);
    result.width = codec->width;
    result.height = codec->height;
    result.format = codec->pix_fmt;
    result.range = stream->codecpar->color_range;
    result.space = stream->codecpar->color_space;
    result.primaries = stream->codecpar->color_primaries;
    result.transfer = stream->codecpar->color_trc;
    result.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
    result.fps = av_q2d(stream->avg_frame_rate);
    AVPacket* packet = av_packet_alloc();
    AVFrame* frame = av_frame_alloc();
    auto receive = [&] {
        while (avcodec_receive_frame(codec, frame) >= 0) {
            result.frames.push_back(planes_of(*frame));
            result.times.push_back(static_cast<double>(frame->best_effort_timestamp) * av_q2d(stream->time_base));
        }
    };
    while (av_read_frame(format, packet) >= 0) {
        EXPECT_GE(avcodec_send_packet(codec, packet), 0);
        av_packet_unref(packet);
        receive();
    }
    avcodec_send_packet(codec, nullptr);
    receive();
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
    return result;
}

inline double psnr(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.size()) / sum);
}

}  // namespace video
