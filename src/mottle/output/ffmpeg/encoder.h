// mottle/output/ffmpeg/encoder.h: H.264 in MP4 and GIF through FFmpeg's libavcodec and libavformat
#pragma once
#include "mottle/output/video.h"

namespace mottle::output::ffmpeg {

/// Throws: DeviceError (this FFmpeg lacks the codec, or this machine the encoder), OutputError.
std::unique_ptr<VideoEncoder> open_encoder(const VideoSpec& spec);

}  // namespace mottle::output::ffmpeg
