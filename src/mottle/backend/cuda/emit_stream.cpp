// mottle/backend/cuda/emit_stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit_stream.h"

#include "mottle/backend/cuda/stream_step.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

std::string str(int value) { return std::to_string(value); }

class StreamEmitter : StreamText {
   public:
    StreamEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush) : StreamText(program, grid, steps, flush) {}

    ModuleText emit() {
        ModuleText module;
        text_ = module_head(program_, str(steps_) + " steps in one pass: a warp marches down a strip of columns", steps_);
        head();
        for (ir::Array map : maps_) map_rows(map);
        for (bool border : {false, true}) {
            const std::string kind = border ? "border" : "inner";
            text_ += "\n" + StepEmitter(program_, grid_, program_.step.stages[0], border).emit("step_" + kind);
            if (flush_) text_ += "\n" + StepEmitter(program_, grid_, program_.flush_step->stages[0], border).emit("flush_" + kind);
            load_rows(border);
            store_rows(border);
            if (border) column_ghosts();
            kernel(kind, border);
            module.kernels.push_back({kind, arguments()});
        }
        module.text = text_;
        return module;
    }

   private:
    void head() {
        const std::size_t uniforms = std::max<std::size_t>(1, program_.uniforms.size());
        text_ += "constexpr int kColumns = " + std::to_string(uniforms) + ";  // of the table of uniforms\n";
        text_ +=
            "struct Shape { int nx, ny, strips, chunks, chunk_rows, first_strip, inner_strips, first_chunk, inner_chunks; long long pitch; "
            "};\n";
        text_ += "struct Where { int nx, ny, x; long long pitch; };  // x: the first column of this lane\n";
        structs();
        text_ += "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n";
        text_ += "__device__ __forceinline__ int wrapped(int i, int n) { i %= n; return i < 0 ? i + n : i; }\n";
    }

    // A row of a map as the step reads it, ghosts included.
    void map_rows(ir::Array map) {
        const ir::GhostRule& rule = rule_of(program_, map);
        const std::string head = "(const Where& where, const Tables& tables, const int y, const real (&u)[kColumns]) {\n    Columns row;\n";
        const std::string name = "__device__ __forceinline__ Columns map" + str(map);
        text_ += "\n" + name + "_inner" + head;
        vector_load("row.c", "tables.a" + str(map) + " + clamped(y, where.ny) * where.pitch + where.x");
        text_ += "    return row;\n}\n" + name + "_border" + head;
        text_ += "    const real* from = tables.a" + str(map) + " + " + index_text(rule, 1, "y", "where.ny") + " * where.pitch;\n";
        for (int col = 0; col < columns_; ++col) {
            const std::string cell = "row.c[" + str(col) + "]", x = "where.x + " + str(col);
            text_ += "    " + cell + " = from[" + index_text(rule, 0, x, "where.nx") + "];\n";
            guard(x + " < 0", rule[domain::kLeft], cell);
            guard(x + " >= where.nx", rule[domain::kRight], cell);
            guard("y < 0", rule[domain::kTop], cell);
            guard("y >= where.ny", rule[domain::kBottom], cell);
        }
        text_ += "    return row;\n}\n";
    }

    void load_rows(bool border) {
        text_ += std::string("\n__device__ __forceinline__ Cells load_") + (border ? "border" : "inner") +
                 "(const Where& where, const int y" + state_parameters("const real", "") + ") {\n    Cells row;\n";
        for (int a = 0; a < states_; ++a) {
            const ir::GhostRule& rule = rule_of(program_, a);
            if (!border) {
                vector_load("row.a" + str(a), "a" + str(a) + " + clamped(y, where.ny) * where.pitch + where.x");
                continue;
            }
            text_ += "    const real* from" + str(a) + " = a" + str(a) + " + " + index_text(rule, 1, "y", "where.ny") + " * where.pitch;\n";
            for (int col = 0; col < columns_; ++col) {
                text_ += "    row.a" + str(a) + "[" + str(col) + "] = from" + str(a) + "[" +
                         index_text(rule, 0, "where.x + " + str(col), "where.nx") + "];\n";
            }
        }
        text_ += "    return row;\n}\n";
    }

    void store_rows(bool border) {
        text_ += std::string("\n__device__ __forceinline__ void store_") + (border ? "border" : "inner") +
                 "(const Where& where, const int y, const Cells& row" + state_parameters("real", "_next") + ") {\n";
        for (int a = 0; a < states_; ++a) {
            const std::string from = "row.a" + str(a), to = "a" + str(a) + "_next + y * where.pitch + where.x";
            if (!border) {
                vector_store("cells" + str(a), from, to);
                continue;
            }
            text_ += "    real* to" + str(a) + " = " + to + ";\n";
            for (int col = 0; col < columns_; ++col) {
                text_ +=
                    "    if (where.x + " + str(col) + " < where.nx) to" + str(a) + "[" + str(col) + "] = " + from + "[" + str(col) + "];\n";
            }
        }
        text_ += "}\n";
    }

    void kernel(const std::string& kind, bool border) {
        const int halo = halo_lanes(program_.f64, steps_);
        // Blocks that share a multiprocessor: three of up to 168 registers. The few border warps do not spill for company.
        const int blocks = border ? 1 : stream_registers(program_, steps_) <= kRegistersOfThree ? 3 : 2;
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(kStreamThreads) + ", " + str(blocks) + ") " + kind +
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
        text_ += "    const Where where = {shape.nx, shape.ny, strip * " + str(stream_width(program_.f64, steps_)) + " + (lane - " +
                 str(halo) + ") * " + str(columns_) + ", shape.pitch};\n";
        text_ += "    const Tables tables = " + table_values() + ";\n";
        text_ +=
            "    const int first = chunk * shape.chunk_rows, end = first + shape.chunk_rows < shape.ny ? first + shape.chunk_rows : "
            "shape.ny;\n";
        text_ += "    const bool keeps = lane >= " + str(halo) + " && lane < " + str(kLanes - halo) + ";\n";
        text_ += "    Cells ";
        for (int level = 0; level < steps_; ++level) text_ += (level ? ", p" : "p") + str(level) + " = {}, q" + str(level) + " = {}";
        text_ += ";  // two rows of every level; p is the older one in the first half of the loop, q in the second\n";
        text_ += "    Cells next = load_" + kind + "(where, first - " + str(steps_) + state_names("") + ");\n";
        text_ += "    for (int y = first - " + str(steps_) + "; y < end + " + str(steps_) + "; y += 2) {\n";
        row(kind, border, 0);
        row(kind, border, 1);
        text_ += "    }\n}\n";
    }

    // Takes in row y + half; level l makes its row y + half - l.
    void row(const std::string& kind, bool border, int half) {
        const std::string old = half == 0 ? "p" : "q", current = half == 0 ? "q" : "p";
        text_ += "        {\n            Cells row = next, made;\n";
        text_ += "            next = load_" + kind + "(where, y + " + str(half + 1) + state_names("") + ");\n";
        // Keeps the shuffles of this row behind its loads: moved up over them, they cost 34 registers at 6 steps of Gray-Scott.
        if (half == 0) text_ += "            __syncwarp();\n";
        for (int level = 0; level < steps_; ++level) {
            const std::string numbers = "numbers.u[" + str(level) + "]", l = str(level);
            const std::string step = flush_ && level + 1 == steps_ ? "flush_" : "step_";
            if (border) text_ += "            ghosts(where, " + numbers + ", row);\n";
            text_ += "            made = " + step + kind + "(where, tables, y - " + str(level + 1 - half) + ", " + numbers + ", " + old +
                     l + ", " + current + l + ", row);\n            " + old + l + " = row;\n            row = made;\n";
        }
        const std::string r = "y - " + str(steps_ - half);
        text_ += "            if (keeps && " + r + " >= first && " + r + " < end) store_" + kind + "(where, " + r + ", row" +
                 state_names("_next") + ");\n        }\n";
    }
};

}  // namespace

StreamShape stream_shape(const domain::Grid& grid, bool f64, int steps, int chunk_rows, long long pitch) {
    StreamShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]);
    shape.pitch = pitch;
    const int width = stream_width(f64, steps), halo = halo_lanes(f64, steps) * stream_columns(f64), all = kLanes * stream_columns(f64);
    shape.strips = (shape.nx + width - 1) / width;
    shape.chunk_rows = chunk_rows;
    shape.chunks = (shape.ny + chunk_rows - 1) / chunk_rows;
    auto inner = [](int count, auto&& is_inner, int& first, int& inside) {
        first = 0;
        while (first < count && !is_inner(first)) ++first;
        inside = 0;
        while (first + inside < count && is_inner(first + inside)) ++inside;
    };
    inner(
        shape.strips, [&](int s) { return s * width >= halo && s * width - halo + all <= shape.nx; }, shape.first_strip,
        shape.inner_strips);
    inner(
        shape.chunks, [&](int c) { return c * chunk_rows >= steps && (c + 1) * chunk_rows + steps <= shape.ny; }, shape.first_chunk,
        shape.inner_chunks);
    return shape;
}

std::string stream_obstacle(const ir::Program& program, const domain::Grid& grid) {
    if (grid.size[2] > 1) return "the grid has depth";
    return pass_obstacle(program, grid, 2);
}

int stream_registers(const ir::Program& program, int steps) {
    const int words = program.f64 ? 2 : 1, row = program.state_count() * stream_columns(program.f64) * words;
    const auto& code = program.step.stages[0].code;
    const auto operations = std::count_if(code.begin(), code.end(), [](const ir::Instruction& in) { return ir::arity(in.op) > 0; });
    return 2 * row * steps + row + 40 + static_cast<int>(operations);
}

ModuleText emit_stream(const ir::Program& program, const domain::Grid& grid, int steps, bool flush) {
    return StreamEmitter(program, grid, steps, flush).emit();
}

}  // namespace mottle::backend::cuda
