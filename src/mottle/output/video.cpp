// mottle/output/video.cpp: opens the video encoder module
#include "mottle/output/video.h"

#include "mottle/core/dynamic_library.h"

namespace mottle::output {

std::unique_ptr<VideoEncoder> open_video(const VideoSpec& spec) {
    const core::DynamicLibrary module =
        core::open_module("mottle_ffmpeg", "FFmpeg (Debian, Ubuntu: libavcodec-dev libavformat-dev libavutil-dev)");
    const auto factory = reinterpret_cast<VideoFactory>(module.symbol(kVideoFactory));
    return std::unique_ptr<VideoEncoder>(factory(spec));
}

}  // namespace mottle::output
