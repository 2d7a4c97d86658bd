// mottle/output/ffmpeg/joiner.h: joins videos: the first frames of one and all of another are copied without re-encoding
#pragma once
#include "mottle/output/video.h"

namespace mottle::output::ffmpeg {

/// Why `file` is no video as `spec` would make it (size, rate, sampling of colours) with `frames` frames or more, of which the next one, if there is
/// any, needs none of those before; or "".
std::string obstacle_to_continuing(const VideoSpec& spec, const std::string& file, std::int64_t frames);

/// Throws: OutputError.
void join(const VideoJoin& work);

}  // namespace mottle::output::ffmpeg
