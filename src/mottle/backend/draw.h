// mottle/backend/draw.h: field values -> pixels: palette indices, RGB or YUV, the same bits on every backend
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mottle::backend {

/// All in f32, one rounding per operation: s = (x - f32(lo)) * g with g = 1/(hi - lo), formed in f64 and rounded once; s = s > 0 ? s : 0, so that NaN
/// becomes 0; s = s < 1 ? s : 1; then the curve; index = min(255, int(256 s)). Unless 2^-100 <= hi - lo <= 2^126 index 0 is drawn everywhere:
/// beyond, the treatment of subnormal numbers, which differs between devices, would show.
struct Picture {
    enum class Curve { linear, cyberpunk };  ///< cyberpunk: s = 1.2*sqrt(s) - 0.1, clamped to 0..1 in the same way
    enum class Format { index, rgb24, rgba32, yuv420, yuv444 };
    ir::Array array = 0;
    double lo = 0, hi = 1;
    Curve curve = Curve::linear;
    Format format = Format::rgb24;
    int scale = 1;  ///< each cell becomes scale x scale pixels
    int cells = 1;  ///< each pixel shows cells x cells cells, if scale is 1: the mean of their indices, mean_index
    std::array<std::array<std::uint8_t, 3>, 256> palette{};  ///< RGB
};

/// The numbers of the rule above. A gain of 0 draws index 0 everywhere.
struct Mapping {
    float lo = 0, gain = 0;
};
Mapping mapping_of(const Picture& picture);

/// What pixels are made of, by palette index. index: the index; rgb24 and rgba32: red, green << 8, blue << 16, 255 << 24; YUV: Cb, Cr << 12, Y << 24, so
/// that the Cb and Cr of four words can be added.
using PixelTable = std::array<std::uint32_t, 256>;
PixelTable pixel_table(const Picture& picture);
inline constexpr int kShiftCb = 0, kShiftCr = 12, kShiftY = 24;

/// The rule above for values of any origin. Shape: indices.size() == values.size().
void map_to_indices(const Picture& picture, std::span<const float> values, std::span<std::uint8_t> indices);

/// The mean of `count` indices, rounded to the nearest, a half upwards: the same for any order in which they are added.
inline std::uint8_t mean_index(std::uint32_t sum, std::uint32_t count) { return static_cast<std::uint8_t>((sum + count / 2) / count); }

/// Rows of cells that a picture of `domain` shows: those of the plane z = nz/2.
core::Index picture_rows(const domain::Domain& domain);
/// The lines of palette indices that a picture is made of, and how long each is: of a grid's rows, or of boxes of cells; boxes that are not whole are left out.
struct PictureLines {
    core::Index count = 0, length = 0;
};
PictureLines picture_lines(const Picture& picture, const domain::Domain& domain);
/// Width and height in pixels; yuv420 crops to even numbers (the last row or column is dropped if odd). Throws: InputError beyond 2^31 - 1 pixels a side.
std::array<int, 2> picture_size(const Picture& picture, const domain::Domain& domain);
/// Bytes of the planes, one after another without padding: index W*H; rgb24 3*W*H and rgba32 4*W*H interleaved; yuv444 3 planes; yuv420 Y, then Cb, Cr
/// of (W/2)*(H/2), each (sum of the four + 2) >> 2.
std::size_t picture_bytes(Picture::Format format, std::array<int, 2> size);
std::size_t picture_bytes(const Picture& picture, const domain::Domain& domain);
/// 65536 * 219/255 * (0.2126, 0.7152, 0.0722) and 65536 * 224/255 * (b - y)/1.8556, (r - y)/1.5748, to the nearest integer.
inline constexpr std::array<std::array<int, 3>, 3> kYuvWeights = {{{11966, 40254, 4064}, {-6596, -22189, 28784}, {28784, -26145, -2639}}};
/// bt709, limited range, 16-bit fixed point, round half up.
std::array<std::uint8_t, 3> yuv_of(std::array<std::uint8_t, 3> rgb);

/// Draws from rows: `read(row, cells)` fills row `row` of the domain as f32. Lines first..last of the picture; lines from picture_lines on are
/// ignored. May be called from several threads for lines of their own; with yuv420 and an odd scale `first` must be even and `last` even or the end.
void draw_rows(const Picture& picture, const domain::Domain& domain, core::Index first, core::Index last,
               const std::function<void(core::Index row, std::span<float> cells)>& read, std::span<std::uint8_t> out);
/// The same from lines of palette indices that were made elsewhere: `read(line, indices)` fills line `line`.
void draw_lines(const Picture& picture, const domain::Domain& domain, core::Index first, core::Index last,
                const std::function<void(core::Index line, std::span<std::uint8_t> indices)>& read, std::span<std::uint8_t> out);

}  // namespace mottle::backend
