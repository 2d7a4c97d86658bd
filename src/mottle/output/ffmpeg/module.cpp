// mottle/output/ffmpeg/module.cpp: the factory that the core finds in the video module
#include "mottle/output/ffmpeg/encoder.h"

extern "C" mottle::output::VideoEncoder* mottle_open_video(const mottle::output::VideoSpec& spec) {
    return mottle::output::ffmpeg::open_encoder(spec).release();
}

static_assert(std::is_same_v<decltype(&mottle_open_video), mottle::output::VideoFactory>);
