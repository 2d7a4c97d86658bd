// mottle/output/video.cpp: opens the video module, and calls it
#include "mottle/output/video.h"

#include "mottle/core/dynamic_library.h"

namespace mottle::output {
namespace {

template <class Function>
Function find(const char* symbol) {
    const core::DynamicLibrary module =
        core::open_module("mottle_ffmpeg", "FFmpeg (Debian, Ubuntu: libavcodec-dev libavformat-dev libavutil-dev)");
    return reinterpret_cast<Function>(module.symbol(symbol));
}

}  // namespace

std::unique_ptr<VideoEncoder> open_video(const VideoSpec& spec) {
    return std::unique_ptr<VideoEncoder>(find<VideoFactory>(kVideoFactory)(spec));
}

std::string obstacle_of_size(const std::array<int, 2>& size, const VideoSpec& spec) {
    return "it has " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + " pixels, and this run draws " +
           std::to_string(spec.width) + "x" + std::to_string(spec.height);
}

std::string obstacle_to_continuing(const VideoSpec& spec, const std::string& file, std::int64_t frames) {
    std::string obstacle;
    find<VideoContinuation>(kVideoContinuation)(spec, file, frames, obstacle);
    return obstacle;
}

void join_videos(const VideoJoin& work) { find<VideoJoining>(kVideoJoining)(work); }

}  // namespace mottle::output
