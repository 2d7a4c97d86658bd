// mottle/output/video.h: the interface of the video encoder module (lib/mottle/mottle_ffmpeg.so)
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mottle::output {

struct VideoSpec {
    std::string file;       ///< the temporary name; the caller renames
    enum class Kind { mp4, gif } kind = Kind::mp4;
    int width = 0, height = 0;
    double fps = 60;
    bool chroma444 = false;  ///< mp4: planes are yuv444 instead of yuv420
    int threads = 1;
    std::span<const std::uint8_t> palette;  ///< gif: 256 RGB triples; frames are indices
};

class VideoEncoder {
   public:
    virtual ~VideoEncoder() = default;
    /// One frame: planes as backend::Picture lays them out. Throws: OutputError.
    virtual void write(std::span<const std::uint8_t> planes) = 0;
    virtual void finish() = 0;
};

/// Opens the module and an encoder. Throws: DeviceError (missing module or codec), OutputError.
std::unique_ptr<VideoEncoder> open_video(const VideoSpec& spec);

}  // namespace mottle::output
