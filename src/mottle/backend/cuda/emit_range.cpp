// mottle/backend/cuda/emit_range.cpp: the least and greatest cell of an array and its first bad one
#include "mottle/backend/cuda/emit_range.h"

#include <limits>

namespace mottle::backend::cuda {

ModuleText emit_range(bool f64) {
    auto literal = [f64](double value) { return expression({ir::Op::literal, {}, 0, {}, std::bit_cast<std::uint64_t>(value)}, {}, f64); };
    const std::string difference = expression({ir::Op::sub, {}, 0, {}, 0}, {"cell", "cell"}, f64);
    ir::Program head;
    head.f64 = f64;
    ModuleText module;
    module.text = module_head(head, "the least and greatest cell of an array and its first bad one", 1);
    module.text +=
        "struct Shape { long long rows, length, pitch, parts, warps; };\n"
        "struct Partial { real low, high; unsigned long long bad; };\n\n"
        "MOTTLE_KERNEL __launch_bounds__(" +
        std::to_string(kRangeThreads) +
        ") range(const Shape shape, const real* __restrict__ cells, Partial* __restrict__ partials) {\n"
        "    const long long warp = blockIdx.x * " +
        std::to_string(kRangeThreads / 32) +
        "ll + (threadIdx.x >> 5);\n"
        "    const int lane = (int)(threadIdx.x & 31);\n"
        "    real low = " +
        literal(std::numeric_limits<double>::infinity()) + ", high = " + literal(-std::numeric_limits<double>::infinity()) +
        ";\n"
        "    unsigned long long bad = ~0ull;\n"
        "    for (long long piece = warp; piece < shape.rows * shape.parts; piece += shape.warps) {\n"
        "        const long long row = piece / shape.parts, first = (piece - row * shape.parts) * " +
        std::to_string(kRangePiece) +
        ";\n"
        "        const long long end = first + " +
        std::to_string(kRangePiece) + " < shape.length ? first + " + std::to_string(kRangePiece) +
        " : shape.length;\n"
        "        for (long long x = first + lane; x < end; x += 32) {\n"
        "            const real cell = cells[row * shape.pitch + x];\n"
        "            const unsigned long long here = (unsigned long long)(row * shape.length + x);\n"
        "            low = cell < low ? cell : low;\n"
        "            high = cell > high ? cell : high;\n"
        "            if (!(" +
        difference +
        " == 0) && here < bad) bad = here;\n"
        "        }\n"
        "    }\n"
        "    for (int distance = 16; distance > 0; distance /= 2) {\n"
        "        const real other_low = __shfl_down_sync(0xffffffffu, low, distance), other_high = __shfl_down_sync(0xffffffffu, high, "
        "distance);\n"
        "        const unsigned long long other_bad = __shfl_down_sync(0xffffffffu, bad, distance);\n"
        "        low = other_low < low ? other_low : low;\n"
        "        high = other_high > high ? other_high : high;\n"
        "        bad = other_bad < bad ? other_bad : bad;\n"
        "    }\n"
        "    if (lane == 0) {\n"
        "        partials[warp].low = low;\n        partials[warp].high = high;\n        partials[warp].bad = bad;\n"
        "    }\n}\n";
    module.kernels.push_back({"range", {}});
    return module;
}

}  // namespace mottle::backend::cuda
