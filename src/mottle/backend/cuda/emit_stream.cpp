// mottle/backend/cuda/emit_stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit_stream.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

std::string str(int value) { return std::to_string(value); }

class StreamEmitter : PlaneText {
   public:
    StreamEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush) : PlaneText(program, grid, steps, flush) {}

    ModuleText emit() {
        ModuleText module;
        head(str(steps_) + " steps in one pass: a warp marches down a strip of columns");
        for (const bool border : {false, true}) {
            functions(border);
            kernel(border);
            module.kernels.push_back({kind(border), arguments()});
        }
        module.text = text_;
        return module;
    }

   private:
    void kernel(bool border) {
        const int halo = halo_lanes(program_.f64, steps_);
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
        text_ += "    const int x = strip * " + str(stream_width(program_.f64, steps_)) + " + (lane - " + str(halo) + ") * " +
                 str(columns_) + ";\n    const Where where = {shape.nx, shape.ny, x, x, shape.pitch};\n";
        text_ += "    const Tables tables = " + table_values() + ";\n";
        text_ +=
            "    const int first = chunk * shape.chunk_rows, end = first + shape.chunk_rows < shape.ny ? first + shape.chunk_rows : "
            "shape.ny;\n";
        text_ += "    const bool keeps = lane >= " + str(halo) + " && lane < " + str(kLanes - halo) + ";\n";
        text_ += "    Cells ";
        for (int level = 0; level < steps_; ++level) text_ += (level ? ", p" : "p") + str(level) + " = {}, q" + str(level) + " = {}";
        text_ += ";  // two rows of every level; p is the older one in the first half of the loop, q in the second\n";
        text_ += "    Cells next = load_" + kind(border) + "(where, first - " + str(steps_) + state_names("") + ");\n";
        text_ += "    for (int y = first - " + str(steps_) + "; y < end + " + str(steps_) + "; y += 2) {\n";
        row(border, 0);
        row(border, 1);
        text_ += "    }\n}\n";
    }

    // Takes in row y + half; level l makes its row y + half - l.
    void row(bool border, int half) {
        const std::string old = half == 0 ? "p" : "q", current = half == 0 ? "q" : "p";
        text_ += "        {\n            Cells row = next, made;\n";
        text_ += "            next = load_" + kind(border) + "(where, y + " + str(half + 1) + state_names("") + ");\n";
        // Keeps the shuffles of this row behind its loads: moved up over them, they cost 34 registers at 6 steps of Gray-Scott.
        if (half == 0) text_ += "            __syncwarp();\n";
        for (int level = 0; level < steps_; ++level) {
            const std::string numbers = "numbers.u[" + str(level) + "]", l = str(level);
            if (border) text_ += "            ghosts(where, " + numbers + ", row);\n";
            text_ += "            made = " + step_name(level, border) + "(where, tables, y - " + str(level + 1 - half) + ", " + numbers +
                     ", " + old + l + ", " + current + l + ", row);\n            " + old + l + " = row;\n            row = made;\n";
        }
        const std::string r = "y - " + str(steps_ - half);
        text_ += "            if (keeps && " + r + " >= first && " + r + " < end) store_" + kind(border) + "(where, " + r + ", row" +
                 state_names("_next") + ");\n        }\n";
    }
};

}  // namespace

int stream_registers(const ir::Program& program, int steps) {
    const int words = program.f64 ? 2 : 1, row = program.state_count() * stream_columns(program.f64) * words;
    return 2 * row * steps + row + 40 + ir::operations(program.step.stages[0].code);
}

ModuleText emit_stream(const ir::Program& program, const domain::Grid& grid, int steps, bool flush) {
    return StreamEmitter(program, grid, steps, flush).emit();
}

}  // namespace mottle::backend::cuda
