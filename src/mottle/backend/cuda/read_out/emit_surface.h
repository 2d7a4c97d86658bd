// mottle/backend/cuda/read_out/emit_surface.h: colours of what a camera sees of a surface, on the device
#pragma once
#include "mottle/backend/cuda/emit/operations.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it.
struct SurfaceShape {
    int width, height;
    int tiles;         ///< pieces of a row of pixels (of a pair of rows)
    int vertices;      ///< number of places with a value; vertices from this number on have none
    long long stride;  ///< numbers from one place to the next
    float lo, gain;
    int cyberpunk, transparent;
    unsigned empty;  ///< red, green << 8, blue << 16, alpha << 24 of a pixel where nothing is seen
    unsigned background[3];
};
/// Where the parts of the table of 32-bit words begin: linear colours, sRGB bytes, the dither, the nearest indices (Format::index alone).
inline constexpr int kTableSrgb = 257 * 3, kTableDither = kTableSrgb + 4096, kTableNearest = kTableDither + 16;

/// Kernels surface_index, surface_rgb24, surface_rgba32, surface_yuv420 and surface_yuv444, as Picture::Format has them (Shape, cells, pixels, samples,
/// table, bytes); a thread per pixel, in surface_yuv420 per two by two.
ModuleText emit_surface(bool f64);

}  // namespace mottle::backend::cuda
