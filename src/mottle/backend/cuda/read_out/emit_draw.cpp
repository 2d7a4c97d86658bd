// mottle/backend/cuda/read_out/emit_draw.cpp: colours on the device: cells of a plane -> the bytes of a picture
#include "mottle/backend/cuda/read_out/emit_draw.h"

#include "mottle/backend/draw.h"
#include "mottle/core/text.h"

namespace mottle::backend::cuda {
namespace {

using core::str;

}  // namespace

std::string draw_kernel(const std::string& name, int side, const std::string& parameters, const std::string& body) {
    const std::string times = side == 1 ? "" : str(side) + " * ";
    return "\nMOTTLE_KERNEL __launch_bounds__(" + str(kDrawThreads) + ") " + name + "(" + parameters +
           ") {\n"
           "    const int tile = (int)blockIdx.x;\n"
           "    const int x = " +
           times + "(tile % shape.tiles * " + str(kDrawThreads) + " + (int)threadIdx.x), y = " + times +
           "(tile / shape.tiles);\n"
           "    if (x >= shape.width) return;\n" +
           body + "}\n";
}

std::string narrow_text(const std::string& name, bool f64) {
    // the first number that rounds to a normal one, as ir::round_to has it
    return f64 ? "fabs(" + name + ") < " + literal_text(0x1.ffffffp-127, true) + " ? 0.0f : __double2float_rn(" + name + ")" : name;
}

std::string index_function() {
    const std::string clamp = "s = s > 0.0f ? s : 0.0f;\n", below = "s = s < 1.0f ? s : 1.0f;\n";
    return "\n__device__ __forceinline__ int index_of(const float cell, const float lo, const float gain, const int cyberpunk) {\n"
           "    float s = __fmul_rn(__fsub_rn(cell, lo), gain);\n    " +
           clamp + "    " + below +
           "    if (cyberpunk) {\n"
           "        s = __fsub_rn(__fmul_rn(" +
           literal_text(1.2) + ", __fsqrt_rn(s)), " + literal_text(0.1) + ");\n        " + clamp + "        " + below +
           "    }\n"
           "    const int index = (int)__fmul_rn(" +
           literal_text(256) +
           ", s);\n"
           "    return index < 255 ? index : 255;\n"
           "}\n";
}

std::string byte_text(const std::string& place, const std::string& value) {
    return "    out[" + place + "] = (unsigned char)(" + value + ");\n";
}

std::vector<KernelText> format_kernels(const std::string& prefix) {
    std::vector<KernelText> kernels;
    for (const char* format : {"_index", "_rgb24", "_rgba32", "_yuv420", "_yuv444"}) kernels.push_back({prefix + format, {}});
    return kernels;
}

ModuleText emit_draw(bool f64) {
    ModuleText module{module_head(f64, "colours: cells of a plane to the bytes of a picture"), format_kernels("draw")};
    module.text += "struct Shape { int width, height, scale, tiles; long long first, pitch; float lo, gain; int cyberpunk; };\n" +
                   index_function() +
                   "\n__device__ __forceinline__ unsigned colour(const Shape& shape, const real* __restrict__ cells, "
                   "const unsigned* __restrict__ table, const int x, const int y) {\n"
                   "    const int column = shape.scale == 1 ? x : x / shape.scale, row = shape.scale == 1 ? y : y / shape.scale;\n"
                   "    const real cell = cells[shape.first + row * shape.pitch + column];\n"
                   "    return table[index_of(" +
                   narrow_text("cell", f64) + ", shape.lo, shape.gain, shape.cyberpunk)];\n}\n";
    auto kernel = [](const std::string& name, int side, const std::string& body) {
        return draw_kernel(name, side,
                           "const Shape shape, const real* __restrict__ cells, const unsigned* __restrict__ table, "
                           "unsigned char* __restrict__ out",
                           body);
    };
    const std::string one =
        "    const unsigned word = colour(shape, cells, table, x, y);\n"
        "    const long long pixel = (long long)y * shape.width + x;\n";
    auto byte = [](const std::string& place, int shift) { return byte_text(place, "word" + (shift == 0 ? "" : " >> " + str(shift))); };
    module.text += kernel("draw_index", 1, one + byte("pixel", 0));
    module.text += kernel("draw_rgb24", 1, one + byte("3 * pixel", 0) + byte("3 * pixel + 1", 8) + byte("3 * pixel + 2", 16));
    module.text += kernel("draw_rgba32", 1, one + "    ((unsigned*)out)[pixel] = word;\n");
    module.text += kernel("draw_yuv444", 1,
                          one + "    const long long plane = (long long)shape.width * shape.height;\n" + byte("pixel", kShiftY) +
                              byte("plane + pixel", kShiftCb) + byte("2 * plane + pixel", kShiftCr));
    auto mean = [](int shift) { return "(((sum >> " + str(shift) + " & 0x3ffu) + 2) >> 2)"; };
    module.text += kernel("draw_yuv420", 2,
                          "    const unsigned a = colour(shape, cells, table, x, y), b = colour(shape, cells, table, x + 1, y);\n"
                          "    const unsigned c = colour(shape, cells, table, x, y + 1), d = colour(shape, cells, table, x + 1, y + 1);\n"
                          "    const unsigned sum = (a + b) + (c + d);\n"
                          "    const long long pixel = (long long)y * shape.width + x, plane = (long long)shape.width * shape.height;\n"
                          "    const long long chroma = plane + (long long)(y / 2) * (shape.width / 2) + x / 2;\n"
                          "    *(unsigned short*)(out + pixel) = (unsigned short)(a >> 24 | b >> 24 << 8);\n"
                          "    *(unsigned short*)(out + pixel + shape.width) = (unsigned short)(c >> 24 | d >> 24 << 8);\n" +
                              byte_text("chroma", mean(kShiftCb)) + byte_text("chroma + plane / 4", mean(kShiftCr)));
    static_assert(kShiftY == 24);
    return module;
}

}  // namespace mottle::backend::cuda
