// mottle/backend/draw.h: field values -> pixels: palette indices, RGB or YUV, the same bits on every backend
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/program.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mottle::backend {

/// s = (x - lo) * (1/(hi - lo)) clamped to 0..1, then the curve, all in f32; index = min(255, int(256 s)); NaN draws index 0.
struct Picture {
    enum class Curve { linear, cyberpunk };      ///< cyberpunk: s = clamp(1.2*sqrt(s) - 0.1, 0, 1)
    enum class Format { index, rgb24, yuv420, yuv444 };
    ir::Array array = 0;
    double lo = 0, hi = 1;                       ///< hi <= lo draws index 0 everywhere
    Curve curve = Curve::linear;
    Format format = Format::rgb24;
    int scale = 1;                               ///< each cell becomes scale x scale pixels
    std::array<std::array<std::uint8_t, 3>, 256> palette{};  ///< RGB
};

/// Width and height in pixels; yuv420 crops to even numbers (the last row or column is dropped if odd).
std::array<int, 2> picture_size(const Picture& picture, const domain::Domain& domain);
/// Bytes of the planes, one after another without padding: index W*H; rgb24 3*W*H interleaved; yuv444 3 planes; yuv420 Y, then Cb, Cr of (W/2)*(H/2).
std::size_t picture_bytes(const Picture& picture, const domain::Domain& domain);
/// bt709, limited range, 16-bit fixed point, round half up.
std::array<std::uint8_t, 3> yuv_of(std::array<std::uint8_t, 3> rgb);

/// Draws from rows: `read(row, cells)` fills one row of cells as f32. Rows first..last of cells (scaled rows of pixels), for use by several threads;
/// with yuv420 and scale 1 first must be even and last even or the end.
void draw_rows(const Picture& picture, const domain::Domain& domain, core::Index first, core::Index last,
               const std::function<void(core::Index row, std::span<float> cells)>& read, std::span<std::uint8_t> out);

}  // namespace mottle::backend
