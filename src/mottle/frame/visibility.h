// mottle/frame/visibility.h: which points of a surface a picture shows, and in what light: found once per camera
#pragma once
#include "mottle/backend/surface_picture.h"
#include "mottle/frame/camera.h"
#include "mottle/frame/lit_surface.h"

namespace mottle::frame {

using Sample = backend::SurfaceSample;
using backend::kEdgeSamples;
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
