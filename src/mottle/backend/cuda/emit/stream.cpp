// mottle/backend/cuda/emit/stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit/stream.h"

#include "mottle/core/text.h"

namespace mottle::backend::cuda {
namespace {

using core::str;

// The number of blocks that share a multiprocessor: three if a thread has at most 168 registers. The few warps at borders take more registers instead of
// spilling, since they need not share it.
int stream_blocks(const FusedSteps& of, bool border) {
    return border ? 1 : stream_registers(of.plan, of.steps) <= kRegistersOfThree ? 3 : 2;
}

// The strip and the chunk of a warp. Warps at borders skip the inner strips and chunks.
constexpr const char* kBorderWarp =
    "    if (warp >= shape.strips * shape.chunks) return;\n"
    "    const int strip = warp % shape.strips, chunk = warp / shape.strips;\n"
    "    const int inner_x = strip - shape.first_strip, inner_y = chunk - shape.first_chunk;\n"
    "    if (inner_x >= 0 && inner_x < shape.inner_strips && inner_y >= 0 && inner_y < shape.inner_chunks) return;\n";
constexpr const char* kInnerWarp =
    "    if (warp >= shape.inner_strips * shape.inner_chunks) return;\n"
    "    const int strip = shape.first_strip + warp % shape.inner_strips, chunk = shape.first_chunk + warp / "
    "shape.inner_strips;\n";

std::string stream_kernel(const FusedSteps& of, bool border, bool no_border) {
    const std::string halo = str(halo_lanes(of.f64(), of.reach())), reach = str(of.reach());
    March march{.type = "Cells", .cells = "row", .along = "y", .keeps = "keeps && "};
    for (int half : {0, 1}) {
        if (no_border) march.moves[half] = "            at = at + 1 == shape.ny ? 0 : at + 1;\n";
        march.at[half] = no_border ? "at" : "y + " + str(half + 1);
    }
    march.prepare = [&](const Level& level, const std::string&) {
        return border ? "            ghosts" + std::to_string(level.stage) + "(where, " + numbers_of(level) + ", row);\n" : "";
    };
    march.beside = [](const Level&) { return ""; };
    // Keeps the shuffles of this row behind its loads. If the compiler moves them up, 6 steps of Gray-Scott need 34 registers more, and 6 steps of
    // Cahn-Hilliard, without the second barrier, spill 116 bytes. With steps of one stage the second barrier would cost registers instead.
    const std::string wait = "            __syncwarp();\n";
    return "\nMOTTLE_KERNEL __launch_bounds__(" + str(kStreamThreads) + ", " + str(stream_blocks(of, border)) + ") " + kind_text(border) +
           "(const Numbers numbers, const Shape shape" + pointers_text(of) + ") {\n    const int warp = (int)(blockIdx.x * " +
           str(kStreamThreads / kLanes) + " + (threadIdx.x >> 5)), lane = (int)(threadIdx.x & 31);\n" +
           (border ? kBorderWarp : kInnerWarp) + "    const int x = " + strip_text(of, no_border) +
           "    const bool keeps = lane >= " + halo + " && lane < " + str(kLanes - halo_lanes(of.f64(), of.reach())) +
           (no_border ? " && x < shape.nx;\n" : ";\n") +
           "    // two rows of every level that reads rows beside; p is the older one in the first half of the loop, q in the second\n" +
           march_variables(of, "Cells") +
           (no_border ? "    int at = wrapped(first - " + reach + ", shape.ny);\n" : "") +  // the row that comes in
           "    Cells next = load_" + kind_text(border) + "(where, " + (no_border ? "at" : "first - " + reach) + state_names(of, "") +
           ");\n    for (int y = first - " + reach + "; y < end + " + reach + "; y += 2) {\n" + march_text(of, march, border, 0, wait) +
           march_text(of, march, border, 1, of.plan.stages.size() > 1 ? wait : "") + "    }\n}\n";
}

}  // namespace

int stream_registers(const StepPlan& plan, int steps) {
    const int row = stream_columns(plan.program.f64) * (plan.program.f64 ? 2 : 1);
    return row * (plan.kept_rows() * steps + plan.states) + 40 + plan.most_operations();
}

ModuleText emit_stream(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush) {
    const FusedSteps of{.plan = plan, .grid = grid, .steps = steps, .flush = flush};
    const bool no_border = has_no_border(plan, grid);
    ModuleText module{plane_head(of, str(steps) + " steps in one pass: a warp marches down a strip of columns"), {}};
    for (const bool border : {false, true}) {
        if (border && no_border) continue;
        module.text += plane_functions(of, border, no_border ? "y" : kClampedRow) + stream_kernel(of, border, no_border);
        module.kernels.push_back({kind_text(border), pass_arguments(plan)});
    }
    return module;
}

}  // namespace mottle::backend::cuda
