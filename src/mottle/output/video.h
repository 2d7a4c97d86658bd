// mottle/output/video.h: the interface of the video encoder module (lib/mottle/mottle_ffmpeg.so)
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mottle::output {

/// What makes H.264: x264 on the CPU, the same bytes on every machine, or the encoder of an NVIDIA card.
enum class H264 { x264, nvenc };

/// Pixels. Every frame that waits in x264 takes 3 bytes of each, and 1.1 GB in all at 4096 x 4096; so it looks fewer frames ahead above this.
inline constexpr std::int64_t kLargeFrame = std::int64_t{1} << 23;

struct VideoSpec {
    std::string file;  ///< the temporary name; the caller renames
    std::string name;  ///< the name to speak of in messages
    enum class Kind { mp4, gif } kind = Kind::mp4;
    int width = 0, height = 0;
    double fps = 60;
    bool chroma444 = false;                     ///< mp4: planes are yuv444 instead of yuv420
    std::vector<H264> encoders = {H264::x264};  ///< mp4: the first that can be opened
    int threads = 1;
    std::span<const std::uint8_t> palette;  ///< gif: 256 RGB triples; frames are indices
};

/// Destroyed before finish(), it leaves an unusable file. When write() or finish() has found the disk full, finish() closes the file with the frames before.
class VideoEncoder {
   public:
    virtual ~VideoEncoder() = default;
    /// One frame: planes as backend::Picture lays them out. Throws: OutputError.
    virtual void write(std::span<const std::uint8_t> planes) = 0;
    virtual void finish() = 0;
    /// Whether a card encodes.
    virtual bool on_card() const = 0;
};

/// Of MP4 files: the first `frames` frames of `first` and all of `second`, one after the other, are copied into `target`; nothing is encoded anew.
struct VideoJoin {
    std::string first, second, target;
    std::int64_t frames = 0;
    double fps = 60;
    std::string name;  ///< to speak of in messages
};

/// The symbols of the module, and their types.
inline constexpr const char* kVideoFactory = "mottle_open_video";
using VideoFactory = VideoEncoder* (*)(const VideoSpec& spec);
inline constexpr const char* kVideoContinuation = "mottle_check_continuation";
using VideoContinuation = void (*)(const VideoSpec& spec, const std::string& file, std::int64_t frames, std::string& obstacle);
inline constexpr const char* kVideoJoining = "mottle_join_videos";
using VideoJoining = void (*)(const VideoJoin& work);

/// H.264 as x264 makes it, and GIF, reach this far.
inline constexpr int kLargestMp4 = 16384, kLargestGif = 65535;
/// Browsers slow down faster GIFs to 10 frames a second.
inline constexpr double kFastestGif = 50;
inline constexpr double kSlowestGif = 100.0 / 65535;  ///< hundredths of a second in 16 bits

/// Opens the module and an encoder. Throws: DeviceError (missing module or codec, no such encoder on this machine), OutputError.
std::unique_ptr<VideoEncoder> open_video(const VideoSpec& spec);
/// Why a video of `size` does not go on as `spec` would have it.
std::string obstacle_of_size(const std::array<int, 2>& size, const VideoSpec& spec);
/// Why `file` is no MP4 like that of `spec` whose first `frames` frames can be kept, or "". Throws: DeviceError.
std::string obstacle_to_continuing(const VideoSpec& spec, const std::string& file, std::int64_t frames);
/// Throws: OutputError, DeviceError.
void join_videos(const VideoJoin& work);

}  // namespace mottle::output
