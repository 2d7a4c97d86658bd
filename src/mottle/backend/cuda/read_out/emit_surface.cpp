// mottle/backend/cuda/read_out/emit_surface.cpp: colours of what a camera sees of a surface, on the device
#include "mottle/backend/cuda/read_out/emit_surface.h"

#include "mottle/backend/cuda/read_out/emit_draw.h"
#include "mottle/backend/surface_picture.h"
#include "mottle/core/text.h"

#include <cmath>
#include <limits>

namespace mottle::backend::cuda {
namespace {

using core::str;

const char* const kParameters =
    "const Shape& shape, const real* __restrict__ cells, const unsigned* __restrict__ pixels, const Sample* __restrict__ samples, "
    "const unsigned* __restrict__ table";

/// The text of one component of yuv_of. Its offset, a whole number, is added after rounding.
std::string component(std::size_t k, const std::string& rgb) {
    const auto& weights = kYuvWeights[k];
    return "(" + str(k == 0 ? 16 : 128) + " + ((" + str(weights[0]) + " * (int)(" + rgb + " & 255u) + " + str(weights[1]) + " * (int)(" +
           rgb + " >> 8 & 255u) + " + str(weights[2]) + " * (int)(" + rgb + " >> 16 & 255u) + 32768) >> 16))";
}

std::string functions(bool f64) {
    std::string text = index_function();
    text +=
        "\n__device__ __forceinline__ float value(const Shape& shape, const real* __restrict__ cells, const int vertex) {\n"
        "    if (vertex >= shape.vertices) return " +
        literal_text(std::numeric_limits<double>::quiet_NaN()) +
        ";\n"
        "    const real cell = cells[vertex * shape.stride];\n"
        "    return " +
        narrow_text("cell", f64) +
        ";\n}\n"
        "\n// The row of the table for the value at a sample.\n"
        "__device__ __forceinline__ int row_of(const Shape& shape, const real* __restrict__ cells, const Sample& sample) {\n"
        "    const float a = value(shape, cells, sample.vertex[0]), b = value(shape, cells, sample.vertex[1]);\n"
        "    const float c = value(shape, cells, sample.vertex[2]);\n"
        // weight * 2^-16, exactly: a mantissa, and 1 taken away
        "    const float u = __fsub_rn(__uint_as_float(0x3f800000u | (unsigned)sample.weight[0] << 7), " +
        literal_text(1) + "), v = __fsub_rn(__uint_as_float(0x3f800000u | (unsigned)sample.weight[1] << 7), " + literal_text(1) +
        ");\n"
        "    const float x = __fadd_rn(__fadd_rn(a, __fmul_rn(__fsub_rn(b, a), u)), __fmul_rn(__fsub_rn(c, a), v));\n"
        "    return __fsub_rn(x, x) == 0.0f ? index_of(x, shape.lo, shape.gain, shape.cyberpunk) : " +
        str(static_cast<int>(kNoValue)) +
        ";\n}\n"
        "\n// Red, green << 8, blue << 16, alpha << 24.\n"
        "__device__ __forceinline__ unsigned colour(" +
        std::string(kParameters) +
        ", const int x, const int y) {\n"
        "    const unsigned pixel = pixels[(long long)y * shape.width + x];\n"
        "    if (pixel == " +
        std::to_string(SurfaceSight::kNoSamples) +
        "u) return shape.empty;\n"
        "    const unsigned count = pixel & 1u ? " +
        str(kEdgeSamples) +
        " : 1;\n"
        "    unsigned sum0 = 0, sum1 = 0, sum2 = 0, hits = 0;\n"
        "    for (unsigned i = 0; i < count; ++i) {\n"
        "        const Sample sample = samples[(pixel >> 1) + i];\n"
        "        if (sample.vertex[0] < 0) {\n"
        "            if (shape.transparent) continue;\n"
        "            sum0 += shape.background[0];\n            sum1 += shape.background[1];\n            sum2 += shape.background[2];\n"
        "            continue;\n"
        "        }\n"
        "        ++hits;\n"
        "        const unsigned* row = table + 3 * row_of(shape, cells, sample);\n";
    for (int k = 0; k < 3; ++k) {
        const std::string lit = "lit" + str(k);
        text += "        const unsigned " + lit + " = (row[" + str(k) + "] * sample.shade >> 14) + sample.gloss;\n        sum" + str(k) +
                " += " + lit + " < 65535u ? " + lit + " : 65535u;\n";
    }
    text +=
        "    }\n"
        "    const unsigned of = shape.transparent ? (hits > 1 ? hits : 1) : count;\n"
        "    const unsigned alpha = shape.transparent ? (255 * hits + count / 2) / count : 255;\n"
        "    const unsigned* srgb = table + " +
        str(kTableSrgb) +
        ";\n"
        "    return srgb[sum0 / of >> 4] | srgb[sum1 / of >> 4] << 8 | srgb[sum2 / of >> 4] << 16 | alpha << 24;\n"
        "}\n";
    for (std::size_t k = 0; k < 3; ++k) {
        text += std::string("\n__device__ __forceinline__ int ") +
                (k == 0   ? "luma"
                 : k == 1 ? "blue"
                          : "red") +
                "_of(const unsigned rgb) { return " + component(k, "rgb") + "; }\n";
    }
    text +=
        "\n__device__ __forceinline__ unsigned five_bits(const unsigned byte, const int shift) {\n"
        "    const int moved = (int)byte + shift;\n"
        "    return (unsigned)(moved < 0 ? 0 : moved > 255 ? 255 : moved) >> 3;\n"
        "}\n";
    return text;
}

std::string kernel(const std::string& name, int side, const std::string& body) {
    return draw_kernel(name, side,
                       "const Shape shape, const real* __restrict__ cells, const unsigned* __restrict__ pixels, "
                       "const Sample* __restrict__ samples, const unsigned* __restrict__ table, unsigned char* __restrict__ out",
                       body);
}

std::string colour_at(const std::string& name, const std::string& x, const std::string& y) {
    return "    const unsigned " + name + " = colour(shape, cells, pixels, samples, table, " + x + ", " + y + ");\n";
}

}  // namespace

ModuleText emit_surface(bool f64) {
    ModuleText module{module_head(f64, "colours of what a camera sees of a surface"), format_kernels("surface")};
    module.text +=
        "struct Shape { int width, height, tiles, vertices; long long stride; float lo, gain; int cyberpunk, transparent; unsigned empty; "
        "unsigned background[3]; };\n"
        "struct Sample { int vertex[3]; unsigned short weight[2]; unsigned short shade, gloss; };\n" +
        functions(f64);
    const std::string one = colour_at("rgb", "x", "y") + "    const long long pixel = (long long)y * shape.width + x;\n";
    const std::string shift = "table[" + str(kTableDither) + " + (y & 3) * 4 + (x & 3)]";
    module.text += kernel("surface_index", 1,
                          one + "    const int shift = (int)" + shift +
                              ";\n    const unsigned key = five_bits(rgb & 255u, shift) << 10 | five_bits(rgb >> 8 & 255u, shift) << 5 | "
                              "five_bits(rgb >> 16 & 255u, shift);\n" +
                              byte_text("pixel", "table[" + str(kTableNearest) + " + key]"));
    module.text +=
        kernel("surface_rgb24", 1,
               one + byte_text("3 * pixel", "rgb") + byte_text("3 * pixel + 1", "rgb >> 8") + byte_text("3 * pixel + 2", "rgb >> 16"));
    module.text += kernel("surface_rgba32", 1, one + "    ((unsigned*)out)[pixel] = rgb;\n");
    std::string halved = colour_at("a", "x", "y") + colour_at("b", "x + 1", "y") + colour_at("c", "x", "y + 1") +
                         colour_at("d", "x + 1", "y + 1") +
                         "    const long long pixel = (long long)y * shape.width + x, plane = (long long)shape.width * shape.height;\n"
                         "    const long long chroma = plane + (long long)(y / 2) * (shape.width / 2) + x / 2;\n";
    auto mean = [](const std::string& part) { return "(" + part + "(a) + " + part + "(b) + " + part + "(c) + " + part + "(d) + 2) >> 2"; };
    halved += byte_text("pixel", "luma_of(a)") + byte_text("pixel + 1", "luma_of(b)") + byte_text("pixel + shape.width", "luma_of(c)") +
              byte_text("pixel + shape.width + 1", "luma_of(d)") + byte_text("chroma", mean("blue_of")) +
              byte_text("chroma + plane / 4", mean("red_of"));
    module.text += kernel("surface_yuv420", 2, halved);
    module.text +=
        kernel("surface_yuv444", 1,
               one + "    const long long plane = (long long)shape.width * shape.height;\n" + byte_text("pixel", "luma_of(rgb)") +
                   byte_text("plane + pixel", "blue_of(rgb)") + byte_text("2 * plane + pixel", "red_of(rgb)"));
    return module;
}

}  // namespace mottle::backend::cuda
