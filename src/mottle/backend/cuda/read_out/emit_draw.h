// mottle/backend/cuda/read_out/emit_draw.h: colours on the device: cells of a plane -> the bytes of a picture, by the rule of backend::Picture
#pragma once
#include "mottle/backend/cuda/emit/operations.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it.
struct DrawShape {
    int width, height, scale;  ///< pixels, and of them in each direction per cell
    int tiles;                 ///< pieces of a row of pixels (of a pair of rows)
    long long first, pitch;    ///< the first cell of the plane; cells from one row to the next
    float lo, gain;
    int cyberpunk;
};
inline constexpr int kDrawThreads = 256;  ///< of a block: one pixel each, in draw_yuv420 two by two

/// The function index_of(cell, lo, gain, cyberpunk): the palette index of an f32 number, by the rule of backend::Picture.
std::string index_function();
/// An expression that rounds the cell `name` to f32, as rows that are read are.
std::string narrow_text(const std::string& name, bool f64);
/// A kernel with a thread per `side` x `side` pixels, at x and y; `body` writes them. `parameters` begin with a Shape that has width and tiles.
std::string draw_kernel(const std::string& name, int side, const std::string& parameters, const std::string& body);
/// A line of it that stores one byte.
std::string byte_text(const std::string& place, const std::string& value);
/// The names of the kernels of a picture, in the order of Picture::Format.
std::vector<KernelText> format_kernels(const std::string& prefix);

/// Kernels draw_index, draw_rgb24, draw_rgba32, draw_yuv420 and draw_yuv444, as Picture::Format has them (Shape, cells, pixel table, bytes). Cells of f64 are rounded to f32 first, as
/// rows that are read are. The bytes are the host's as long as `lo` is no subnormal number.
ModuleText emit_draw(bool f64);

}  // namespace mottle::backend::cuda
