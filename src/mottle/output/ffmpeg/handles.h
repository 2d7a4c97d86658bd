// mottle/output/ffmpeg/handles.h: what the encoder and the joiner share of FFmpeg: owners of its objects, and the words of its errors
#pragma once
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <memory>
#include <string>

namespace mottle::output::ffmpeg {

struct PacketDeleter {
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
/// Of a file that is written: it is closed, too.
struct OutputDeleter {
    void operator()(AVFormatContext* format) const {
        if (format->pb) avio_closep(&format->pb);
        avformat_free_context(format);
    }
};
using Packet = std::unique_ptr<AVPacket, PacketDeleter>;
using Output = std::unique_ptr<AVFormatContext, OutputDeleter>;

/// What an error code of FFmpeg means.
inline std::string words_of(int code) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, text, sizeof text);
    return text;
}

}  // namespace mottle::output::ffmpeg
