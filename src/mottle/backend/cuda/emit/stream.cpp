// mottle/backend/cuda/emit/stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit/stream.h"

#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/core/text.h"

namespace mottle::backend::cuda {
namespace {

using core::str;

class StreamEmitter : PlaneText {
   public:
    StreamEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush)
        : PlaneText(program, grid, steps, flush), reach_(steps * step_reach(program)), levels_(levels_of(program, steps)) {
        inner_wraps_ = has_no_border(program, grid);
        if (inner_wraps_) inner_row_ = "y";
    }

    ModuleText emit() {
        ModuleText module;
        head(str(steps_) + " steps in one pass: a warp marches down a strip of columns");
        for (const bool border : {false, true}) {
            if (border && inner_wraps_) continue;
            functions(border);
            kernel(border);
            module.kernels.push_back({kind(border), arguments()});
        }
        module.text = text_;
        return module;
    }

   private:
    void kernel(bool border) {
        const int halo = halo_lanes(program_.f64, reach_);
        // Blocks that share a multiprocessor: three of up to 168 registers. The few border warps do not spill for company.
        const int blocks = border ? 1 : stream_registers(program_, steps_) <= kRegistersOfThree ? 3 : 2;
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(kStreamThreads) + ", " + str(blocks) + ") " + kind(border) +
                 "(const Numbers numbers, const Shape shape" + pointers();
        text_ += ") {\n    const int warp = (int)(blockIdx.x * " + str(kStreamThreads / kLanes) +
                 " + (threadIdx.x >> 5)), lane = (int)(threadIdx.x & 31);\n";
        if (border) {
            text_ +=
                "    if (warp >= shape.strips * shape.chunks) return;\n"
                "    const int strip = warp % shape.strips, chunk = warp / shape.strips;\n"
                "    const int inner_x = strip - shape.first_strip, inner_y = chunk - shape.first_chunk;\n"
                "    if (inner_x >= 0 && inner_x < shape.inner_strips && inner_y >= 0 && inner_y < shape.inner_chunks) return;\n";
        } else {
            text_ +=
                "    if (warp >= shape.inner_strips * shape.inner_chunks) return;\n"
                "    const int strip = shape.first_strip + warp % shape.inner_strips, chunk = shape.first_chunk + warp / "
                "shape.inner_strips;\n";
        }
        text_ += "    const int x = strip * " + str(stream_width(program_.f64, reach_)) + " + (lane - " + str(halo) + ") * " +
                 str(columns_) + ";\n    const Where where = {shape.nx, shape.ny, x, " + (inner_wraps_ ? "wrapped(x, shape.nx)" : "x") +
                 ", shape.pitch};\n";
        text_ += "    const Tables tables = " + table_values() + ";\n";
        text_ +=
            "    const int first = chunk * shape.chunk_rows, end = first + shape.chunk_rows < shape.ny ? first + shape.chunk_rows : "
            "shape.ny;\n";
        text_ += "    const bool keeps = lane >= " + str(halo) + " && lane < " + str(kLanes - halo) +
                 (inner_wraps_ ? " && x < shape.nx;\n" : ";\n");
        text_ +=
            "    // two rows of every level that reads rows beside; p is the older one in the first half of the loop, q in the second\n";
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const std::string level = std::to_string(l);
            if (levels_[l].reach > 0) text_ += "    Cells p" + level + " = {}, q" + level + " = {};\n";
        }
        if (inner_wraps_) text_ += "    int at = wrapped(first - " + str(reach_) + ", shape.ny);\n";  // the row that comes in
        text_ += "    Cells next = load_" + kind(border) + "(where, " + (inner_wraps_ ? "at" : "first - " + str(reach_)) + state_names("") +
                 ");\n";
        text_ += "    for (int y = first - " + str(reach_) + "; y < end + " + str(reach_) + "; y += 2) {\n";
        row(border, 0);
        row(border, 1);
        text_ += "    }\n}\n";
    }

    static std::string row_name(int beyond) { return beyond < 0 ? "y - " + str(-beyond) : "y + " + str(beyond); }

    // Takes in row y + half; a level makes its row as far behind it as this one and those before it reach together.
    void row(bool border, int half) {
        const std::string p = half == 0 ? "p" : "q", q = half == 0 ? "q" : "p";
        text_ += "        {\n            Cells row = next, made;\n";
        if (inner_wraps_) text_ += "            at = at + 1 == shape.ny ? 0 : at + 1;\n";
        text_ += "            next = load_" + kind(border) + "(where, " + (inner_wraps_ ? "at" : "y + " + str(half + 1)) + state_names("") +
                 ");\n";
        // Keeps the shuffles of this row behind its loads: moved up over them, they cost 34 registers at 6 steps of Gray-Scott, and at
        // 6 steps of Cahn-Hilliard, without the second one, 116 bytes of spills. With steps of one stage the second one costs some instead.
        if (half == 0 || program_.step.stages.size() > 1) text_ += "            __syncwarp();\n";
        int made = half;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const Level& level = levels_[l];
            const std::string numbers = "numbers.u[" + str(level.step) + "]", id = std::to_string(l);
            const std::string old = level.reach > 0 ? p + id : "row", current = level.reach > 0 ? q + id : "row";
            made -= level.reach;
            if (border) text_ += "            ghosts" + std::to_string(level.stage) + "(where, " + numbers + ", row);\n";
            text_ += "            made = " + stage_name(flushes(level.step), level.stage, border) + "(where, tables, " + row_name(made) +
                     ", " + numbers + ", " + old + ", " + current + ", row);\n";
            if (level.reach > 0) text_ += "            " + old + " = row;\n";
            text_ += "            row = made;\n";
        }
        const std::string r = row_name(made);
        text_ += "            if (keeps && " + r + " >= first && " + r + " < end) store_" + kind(border) + "(where, " + r + ", row" +
                 state_names("_next") + ");\n        }\n";
    }

    int reach_;
    std::vector<Level> levels_;
};

}  // namespace

int stream_registers(const ir::Program& program, int steps) {
    const int row = stream_columns(program.f64) * (program.f64 ? 2 : 1);
    return row * (kept_rows(program) * steps + program.state_count()) + 40 + most_operations(program);
}

ModuleText emit_stream(const ir::Program& program, const domain::Grid& grid, int steps, bool flush) {
    return StreamEmitter(program, grid, steps, flush).emit();
}

}  // namespace mottle::backend::cuda
