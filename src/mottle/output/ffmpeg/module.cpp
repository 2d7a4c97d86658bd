// mottle/output/ffmpeg/module.cpp: what the core finds in the video module
#include "mottle/output/ffmpeg/encoder.h"
#include "mottle/output/ffmpeg/joiner.h"

extern "C" mottle::output::VideoEncoder* mottle_open_video(const mottle::output::VideoSpec& spec) {
    return mottle::output::ffmpeg::open_encoder(spec).release();
}

extern "C" void mottle_check_continuation(const mottle::output::VideoSpec& spec, const std::string& file, std::int64_t frames,
                                          std::string& obstacle) {
    obstacle = mottle::output::ffmpeg::obstacle_to_continuing(spec, file, frames);
}

extern "C" void mottle_join_videos(const mottle::output::VideoJoin& work) { mottle::output::ffmpeg::join(work); }

static_assert(std::is_same_v<decltype(&mottle_open_video), mottle::output::VideoFactory>);
static_assert(std::is_same_v<decltype(&mottle_check_continuation), mottle::output::VideoContinuation>);
static_assert(std::is_same_v<decltype(&mottle_join_videos), mottle::output::VideoJoining>);
