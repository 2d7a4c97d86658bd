// mottle/backend/cuda/read_out/emit_statistics.cpp: the least, greatest and first bad cell of an array and exact sums over it
#include "mottle/backend/cuda/read_out/emit_statistics.h"
#include "mottle/core/text.h"

#include <limits>

namespace mottle::backend::cuda {
namespace {

using core::str;

/// A kernel whose warps divide the pieces of the rows among them. `visit` is the text for the value `cell` at the place `at` = row * length + x, `meet` the text
/// that combines two lanes.
std::string kernel(const std::string& name, const std::string& parameters, const std::string& begin, const std::string& visit,
                   const std::string& meet, const std::string& leave) {
    return "\nMOTTLE_KERNEL __launch_bounds__(" + str(kCellsThreads) + ") " + name + "(const Shape shape, " + parameters +
           ") {\n"
           "    const int warp = (int)(blockIdx.x * " +
           str(kCellsThreads / 32) + " + (threadIdx.x >> 5)), lane = (int)(threadIdx.x & 31), parts = (int)shape.parts;\n" + begin +
           // This avoids a division of 64 bits, which is a function call on a card.
           "    long long row = warp / parts, part = warp % parts;\n"
           "    while (row < shape.rows) {\n"
           "        const long long first = part * " +
           str(kCellsPiece) +
           ";\n"
           "        const long long end = first + " +
           str(kCellsPiece) + " < shape.length ? first + " + str(kCellsPiece) +
           " : shape.length;\n"
           "        for (long long x = first + lane; x < end; x += 32) {\n"
           "            const real cell = cells[row * shape.pitch + x * shape.stride];\n"
           "            const long long at = row * shape.length + x;\n" +
           visit +
           "        }\n"
           "        row += shape.next_row;\n"
           "        part += shape.next_part;\n"
           "        if (part >= parts) {\n"
           "            part -= parts;\n"
           "            ++row;\n"
           "        }\n"
           "    }\n"
           "    for (int distance = 16; distance > 0; distance /= 2) {\n" +
           meet + "    }\n    if (lane == 0) {\n" + leave + "    }\n}\n";
}

std::string range_kernel(bool f64) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::string high = literal_text(-kInfinity, f64), low = literal_text(kInfinity, f64),
                      difference = expression({ir::Op::sub, {}, 0, {}, 0}, {"cell", "cell"}, f64);
    return kernel("range", "const real* __restrict__ cells, const int* __restrict__ order, Partial* __restrict__ partials",
                  "    real low = " + low + ", high = " + high + ";\n    unsigned long long bad = ~0ull;\n",
                  "            low = cell < low ? cell : low;\n"
                  "            high = cell > high ? cell : high;\n"
                  "            if (!(" +
                      difference +
                      " == 0)) {\n"
                      "                const unsigned long long here = (unsigned long long)(order ? order[at] : at);\n"
                      "                if (here < bad) bad = here;\n"
                      "            }\n",
                  "        const real other_low = __shfl_down_sync(0xffffffffu, low, distance);\n"
                  "        const real other_high = __shfl_down_sync(0xffffffffu, high, distance);\n"
                  "        const unsigned long long other_bad = __shfl_down_sync(0xffffffffu, bad, distance);\n"
                  "        low = other_low < low ? other_low : low;\n"
                  "        high = other_high > high ? other_high : high;\n"
                  "        bad = other_bad < bad ? other_bad : bad;\n",
                  "        partials[warp].low = low;\n        partials[warp].high = high;\n        partials[warp].bad = bad;\n");
}

// Every sum here is exact, so lanes and warps may add in any order (docs/numerics.md, "Exact sums").
std::string sums_kernel() {
    std::string begin = "    double part0 = 0, part1 = 0, part2 = 0;\n", meet, leave;
    std::string visit =
        "            double term = (double)cell;\n"
        "            if (rule.squares) {\n"
        "                const double distance = __dsub_rn(term, rule.mean);\n"
        "                term = __dmul_rn(distance, distance);\n"
        "            }\n"
        "            if (weights) term = __dmul_rn(term, weights[at]);\n";
    for (int k = 0; k < 3; ++k) {
        const std::string part = "part" + str(k), split = "split" + str(k), magic = "rule.magic[" + str(k) + "]";
        visit += "            const double " + split + " = __dsub_rn(__dadd_rn(term, " + magic + "), " + magic + ");\n";
        visit += "            " + part + " = __dadd_rn(" + part + ", " + split + ");\n";
        if (k < 2) visit += "            term = __dsub_rn(term, " + split + ");\n";
        meet += "        " + part + " = __dadd_rn(" + part + ", __shfl_down_sync(0xffffffffu, " + part + ", distance));\n";
        leave += "        partials[warp].parts[" + str(k) + "] = " + part + ";\n";
    }
    return kernel("sums",
                  "const Rule rule, const real* __restrict__ cells, const double* __restrict__ weights, SumPartial* __restrict__ partials",
                  begin, visit, meet, leave);
}

}  // namespace

ModuleText emit_statistics(bool f64) {
    std::string text = module_head(f64, "the least, greatest and first bad cell of an array and exact sums over it");
    text +=
        "struct Shape { long long rows, length, pitch, stride, parts, next_row, next_part; };\n"
        "struct Partial { real low, high; unsigned long long bad; };\n"
        "struct Rule { double magic[3]; double mean; int squares; };\n"
        "struct SumPartial { double parts[3]; };\n";
    return {text + range_kernel(f64) + sums_kernel(), {{"range", {}}, {"sums", {}}}};
}

}  // namespace mottle::backend::cuda
