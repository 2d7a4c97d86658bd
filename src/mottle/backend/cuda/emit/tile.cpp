// mottle/backend/cuda/emit/tile.cpp: several steps in one pass over a plane: a block keeps a tile of it in registers
#include "mottle/backend/cuda/emit/tile.h"

#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/backend/cuda/emit/rows_text.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::str;

class TileEmitter : RowsText {
   public:
    TileEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, const PlaneTile& tile)
        : RowsText(program, grid, steps, flush, stream_columns(program.f64), {.rows = tile.rows, .warps = tile.warps}),
          tile_(tile),
          reach_(steps * step_reach(program)) {
        inner_wraps_ = has_no_border(program, grid);
        if (inner_wraps_) inner_row_ = "wrapped(y, where.ny)";
    }

    ModuleText emit() {
        head(str(steps_) + " steps in one pass: a block keeps a tile of " + str(tile_.height()) + " rows");
        rows_head();
        for (const bool border : {false, true}) {
            if (border && inner_wraps_) continue;
            functions(border);
            body(border);
        }
        kernel();
        return {text_, {{"tile", arguments()}}};
    }

   private:
    // What a block does with its tile: rows first - steps and on.
    void body(bool border) {
        text_ +=
            "\n__device__ __forceinline__ void advance_" + kind(border) +
            "(Edges& edges, const Where& where, const Tables& tables, const int first, const int end, const bool keeps, const Numbers& "
            "numbers" +
            state_parameters("const real", "") + state_parameters("real", "_next") +
            ") {\n"
            "    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31), y = first - " +
            str(reach_) + " + warp * " + str(tile_.rows) + ";\n";
        rows_loaded(kind(border));
        // a level is some hundred instructions; all of them in a row would not fit into the caches of instructions
        const std::string plain = str(steps_ - (flush_ ? 1 : 0));
        text_ += "#pragma unroll 1\n    for (int level = 0; level < " + plain + "; ++level) {\n";
        rows_advance({.level = "level", .numbers = "numbers.u[level]", .border = border});
        text_ += "    }\n";
        if (flush_) rows_advance({.level = plain, .numbers = "numbers.u[" + plain + "]", .flushes = "true", .border = border});
        for (int row = 0; row < tile_.rows; ++row) {
            const std::string r = "y + " + str(row);
            text_ += "    if (keeps && " + r + " >= first && " + r + " < end) store_" + kind(border) + "(where, " + r + ", " + cells(row) +
                     state_names("_next") + ");\n";
        }
        text_ += "}\n";
    }

    // Tiles at a border and others share a launch: one after the other they would leave half of a small card's multiprocessors idle.
    void kernel() {
        const int halo = halo_lanes(program_.f64, reach_);
        const std::string x = "strip * " + str(stream_width(program_.f64, reach_)) + " + (lane - " + str(halo) + ") * " + str(columns_);
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(tile_.threads()) + ", " + str(tile_.blocks) +
                 ") tile(const Numbers numbers, const Shape shape" + pointers() +
                 ") {\n    MOTTLE_SHARED(Edges, edges);\n"
                 "    const int lane = (int)(threadIdx.x & 31);\n"
                 "    const int strip = (int)blockIdx.x % shape.strips, chunk = (int)blockIdx.x / shape.strips, x = " +
                 x + ";\n    const Where where = {shape.nx, shape.ny, x, " + (inner_wraps_ ? "wrapped(x, shape.nx)" : "x") +
                 ", shape.pitch};\n    const Tables tables = " + table_values() +
                 ";\n"
                 "    const int first = chunk * shape.chunk_rows, end = first + shape.chunk_rows < shape.ny ? first + shape.chunk_rows : "
                 "shape.ny;\n"
                 "    const bool keeps = lane >= " +
                 str(halo) + " && lane < " + str(kLanes - halo) + " && x < shape.nx;\n";
        const std::string values = "(edges, where, tables, first, end, keeps, numbers" + state_names("") + state_names("_next") + ");\n";
        if (inner_wraps_) {
            text_ += "    advance_inner" + values + "}\n";
            return;
        }
        text_ +=
            "    const int inner_x = strip - shape.first_strip, inner_y = chunk - shape.first_chunk;\n"
            "    if (inner_x >= 0 && inner_x < shape.inner_strips && inner_y >= 0 && inner_y < shape.inner_chunks) {\n"
            "        advance_inner" +
            values + "    } else {\n        advance_border" + values + "    }\n}\n";
    }

    PlaneTile tile_;
    int reach_;  ///< of all steps together
};

}  // namespace

int tile_registers(const ir::Program& program, int rows) {
    return row_registers(program, stream_columns(program.f64)) * (rows + 3) + 24 + stage_registers(program);
}

std::vector<PlaneTile> plane_tiles(const ir::Program& program) {
    std::vector<PlaneTile> tiles;
    for (PlaneTile tile : {PlaneTile{4, 8, 2}, {6, 8, 2}, {8, 8, 2}, {8, 12, 1}}) {
        const int bytes = exchange_bytes(program, tile.rows, tile.warps), needed = tile_registers(program, tile.rows);
        auto registers = [&] { return std::min(255, kProcessorRegisters / (tile.threads() * tile.blocks) / 8 * 8); };
        if (tile.blocks > 1 && needed > registers()) --tile.blocks;
        if (bytes > 0 && bytes <= kSharedBytes && needed <= registers()) tiles.push_back(tile);
    }
    return tiles;
}

ModuleText emit_tile(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, const PlaneTile& tile) {
    return TileEmitter(program, grid, steps, flush, tile).emit();
}

}  // namespace mottle::backend::cuda
