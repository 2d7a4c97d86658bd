// mottle/frame/visibility.h: which points of a surface a picture shows, and in what light: found once per camera
#pragma once
#include "mottle/frame/camera.h"
#include "mottle/frame/lit_surface.h"

namespace mottle::frame {

/// A visible point: the field there is f0 + (f1 - f0) u + (f2 - f0) v with u = weight[0] / 65536, v = weight[1] / 65536.
struct Sample {
    std::array<std::int32_t, 3> vertex{-1, -1, -1};  ///< -1: the background
    std::array<std::uint16_t, 2> weight{};
    std::uint16_t shade = 0;  ///< 16384 = 1: what the colour is multiplied by, in linear light
    std::uint16_t gloss = 0;  ///< 65535 = 1: what is added to it
};

inline constexpr int kEdgeSamples = 8;
inline constexpr int kShadeOne = 16384;

/// `length` pixels from column `first` on, each with `samples` samples: 1 inside, kEdgeSamples where something ends.
struct Run {
    std::int32_t first = 0, length = 0, samples = 1;
};

/// The background is not stored. Samples lie in the order of the runs.
struct VisibleRow {
    std::vector<Run> runs;
    std::vector<Sample> samples;
};

/// Fills a row per line of the picture.
void look(const LitSurface& surface, const Sight& sight, std::array<int, 2> pixels, std::vector<VisibleRow>& rows, core::ThreadTeam& team);

}  // namespace mottle::frame
