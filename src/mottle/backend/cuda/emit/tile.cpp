// mottle/backend/cuda/emit/tile.cpp: several steps in one pass over a plane: a block keeps a tile of it in registers
#include "mottle/backend/cuda/emit/tile.h"

#include "mottle/backend/cuda/emit/rows_text.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::str;

// The work of a block on its tile, which begins at the row first - steps.
std::string advance_tile(const FusedSteps& of, const Meeting& meeting, bool border) {
    // A level is some hundred instructions. With all levels unrolled, the code would not fit into the instruction caches.
    const std::string plain = str(of.steps - (of.flush ? 1 : 0));
    std::string text =
        "\n__device__ __forceinline__ void advance_" + kind_text(border) +
        "(Edges& edges, const Where& where, const Tables& tables, const int first, const int end, const bool keeps, const Numbers& "
        "numbers" +
        state_parameters(of, "const real", "") + state_parameters(of, "real", "_next") +
        ") {\n"
        "    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31), y = first - " +
        str(of.reach()) + " + warp * " + str(meeting.rows) + ";\n" + rows_loaded(of, meeting, kind_text(border)) +
        "#pragma unroll 1\n    for (int level = 0; level < " + plain + "; ++level) {\n" +
        rows_advance(of, meeting, {.level = "level", .numbers = "numbers.u[level]", .border = border}) + "    }\n";
    if (of.flush)
        text += rows_advance(of, meeting, {.level = plain, .numbers = "numbers.u[" + plain + "]", .flushes = "true", .border = border});
    for (int row = 0; row < meeting.rows; ++row) {
        const std::string r = "y + " + str(row);
        text += "    if (keeps && " + r + " >= first && " + r + " < end) store_" + kind_text(border) + "(where, " + r + ", " +
                row_cells(row) + state_names(of, "_next") + ");\n";
    }
    return text + "}\n";
}

// Tiles at a border and inner tiles share a launch. In two launches, one after the other, half of the multiprocessors of a small card would be idle.
std::string tile_kernel(const FusedSteps& of, const PlaneTile& tile, bool no_border) {
    const int halo = halo_lanes(of.f64(), of.reach());
    const std::string text = "\nMOTTLE_KERNEL __launch_bounds__(" + str(tile.threads()) + ", " + str(tile.blocks) +
                             ") tile(const Numbers numbers, const Shape shape" + pointers_text(of) +
                             ") {\n    MOTTLE_SHARED(Edges, edges);\n"
                             "    const int lane = (int)(threadIdx.x & 31);\n"
                             "    const int strip = (int)blockIdx.x % shape.strips, chunk = (int)blockIdx.x / shape.strips, x = " +
                             strip_text(of, no_border) + "    const bool keeps = lane >= " + str(halo) + " && lane < " +
                             str(kLanes - halo) + " && x < shape.nx;\n";
    const std::string values =
        "(edges, where, tables, first, end, keeps, numbers" + state_names(of, "") + state_names(of, "_next") + ");\n";
    if (no_border) return text + "    advance_inner" + values + "}\n";
    return text +
           "    const int inner_x = strip - shape.first_strip, inner_y = chunk - shape.first_chunk;\n"
           "    if (inner_x >= 0 && inner_x < shape.inner_strips && inner_y >= 0 && inner_y < shape.inner_chunks) {\n"
           "        advance_inner" +
           values + "    } else {\n        advance_border" + values + "    }\n}\n";
}

}  // namespace

int tile_registers(const StepPlan& plan, int rows) {
    return row_registers(plan, stream_columns(plan.program.f64)) * (rows + 3) + 24 + stage_registers(plan);
}

std::vector<PlaneTile> plane_tiles(const StepPlan& plan) {
    std::vector<PlaneTile> tiles;
    for (PlaneTile tile : {PlaneTile{4, 8, 2}, {6, 8, 2}, {8, 8, 2}, {8, 12, 1}}) {
        const int bytes = exchange_bytes(plan, tile.rows, tile.warps), needed = tile_registers(plan, tile.rows);
        auto registers = [&] { return std::min(255, kProcessorRegisters / (tile.threads() * tile.blocks) / 8 * 8); };
        if (tile.blocks > 1 && needed > registers()) --tile.blocks;
        if (bytes > 0 && bytes <= kSharedBytes && needed <= registers()) tiles.push_back(tile);
    }
    return tiles;
}

ModuleText emit_tile(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush, const PlaneTile& tile) {
    const FusedSteps of{.plan = plan, .grid = grid, .steps = steps, .flush = flush};
    const Meeting meeting{.rows = tile.rows, .warps = tile.warps};
    const bool no_border = has_no_border(plan, grid);
    std::string text =
        plane_head(of, str(steps) + " steps in one pass: a block keeps a tile of " + str(tile.height()) + " rows") + rows_head(of, meeting);
    for (const bool border : {false, true}) {
        if (border && no_border) continue;
        text += plane_functions(of, border, no_border ? "wrapped(y, where.ny)" : kClampedRow) + advance_tile(of, meeting, border);
    }
    return {text + tile_kernel(of, tile, no_border), {{"tile", pass_arguments(plan)}}};
}

}  // namespace mottle::backend::cuda
