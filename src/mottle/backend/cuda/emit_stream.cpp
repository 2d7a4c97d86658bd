// mottle/backend/cuda/emit_stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit_stream.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/shift_classes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mottle::backend::cuda {
namespace {

using cpu::ShiftClass;
using cpu::ShiftClasses;
using cpu::Shifted;
using ir::Op;

constexpr const char* kAxisNames[] = {"x", "y", "z", "X", "Y", "Z", "still_x", "still_y", "still_z"};
constexpr int kLanes = 32;

std::string str(int value) { return std::to_string(value); }

int halo_lanes(bool f64, int steps) { return (steps + stream_columns(f64) - 1) / stream_columns(f64); }

const ir::GhostRule& rule_of(const ir::Program& program, ir::Array array) {
    return program.ghosts[static_cast<std::size_t>(program.arrays[static_cast<std::size_t>(array)].ghost_rule)];
}
bool periodic(const ir::GhostRule& rule, int direction) {
    return rule[static_cast<std::size_t>(2 * direction)].rule == domain::Rule::periodic;
}

/// "fma(beta, inside, alpha)" or "inside".
std::string ghost_text(const ir::Ghost& ghost, const std::string& inside, bool f64) {
    if (ghost.alpha < 0) return inside;
    return fma_text("u[" + str(ghost.beta) + "]", inside, "u[" + str(ghost.alpha) + "]", f64);
}

/// The body of one step for the columns of a lane. Row r of the result is made from the rows r - 1 (n), r (c) and r + 1 (s) before it.
class StepEmitter {
   public:
    StepEmitter(const ir::Program& program, const domain::Grid& grid, const ir::Stage& stage, bool border)
        : program_(program), grid_(grid), classes_(cpu::find_shift_classes(stage)), border_(border), columns_(stream_columns(program.f64)) {
        for (const ShiftClass& klass : classes_.classes) {
            std::pair<int, int> reach{100, -100};
            for (int i = 0; i < ir::arity(klass.instruction.op); ++i) {
                const Shifted& arg = klass.args[static_cast<std::size_t>(i)];
                if (klass_of(arg.klass).uniform) continue;
                const auto& inner = reach_[static_cast<std::size_t>(arg.klass)];
                reach = {std::min(reach.first, inner.first + arg.dx), std::max(reach.second, inner.second + arg.dx)};
            }
            reach_.push_back(reach.first > reach.second ? std::pair{0, 0} : reach);
        }
    }

    std::string emit(const std::string& name) {
        std::string stores;
        for (int col = 0; col < columns_; ++col) {
            for (const auto& [array, value] : classes_.stores)
                stores += "    out.a" + str(array) + "[" + str(col) + "] = " + get(value, 0, col) + ";\n";
        }
        std::string text =
            "__device__ __forceinline__ Cells " + name +
            "(const Where& where, const Tables& tables, const int r, const real (&u)[kColumns], Cells n, const Cells& c, Cells s) {\n";
        if (border_) text += row_ghosts();
        return text + body_ + "    Cells out;\n" + stores + "    return out;\n}\n";
    }

   private:
    // Rows beyond a side that does not wrap are made from the row inside it, ghost columns included.
    std::string row_ghosts() const {
        std::string text;
        for (const auto& [array, value] : classes_.stores) {
            const ir::GhostRule& rule = rule_of(program_, array);
            if (periodic(rule, 1)) continue;
            for (int col = 0; col < columns_; ++col) {
                const std::string cell = ".a" + str(array) + "[" + str(col) + "]";
                text += "    if (r == 0) n" + cell + " = " + ghost_text(rule[domain::kTop], "c" + cell, program_.f64) + ";\n";
                text += "    if (r == where.ny - 1) s" + cell + " = " + ghost_text(rule[domain::kBottom], "c" + cell, program_.f64) + ";\n";
            }
        }
        return text;
    }

    const ShiftClass& klass_of(int klass) const { return classes_.classes[static_cast<std::size_t>(klass)]; }

    std::string define(ir::Type type, const std::string& text) {
        const std::string name = "v" + str(next_++);
        body_ += "    const " + std::string(type_name(type)) + " " + name + " = " + text + ";\n";
        return name;
    }

    std::string get(const Shifted& value, int dy, int col) {
        if (klass_of(value.klass).uniform) return compute(value.klass, 0, 0);
        return compute(value.klass, dy + value.dy, col + value.dx);
    }

    std::string compute(int klass, int dy, int col) {
        const auto key = std::make_tuple(klass, dy, col);
        if (auto found = known_.find(key); found != known_.end()) return found->second;
        const ShiftClass& what = klass_of(klass);
        std::string text;
        if (what.instruction.op == Op::axis) {
            text = axis(what.instruction, dy, col);
        } else if (const int middle =
                       col + (reach_[static_cast<std::size_t>(klass)].first + reach_[static_cast<std::size_t>(klass)].second) / 2;
                   !what.uniform && (middle < 0 || middle >= columns_)) {
            const bool left = middle < 0;  // a cell of a neighbouring lane: the same value there
            const std::string there = compute(klass, dy, left ? col + columns_ : col - columns_);
            text = std::string(left ? "__shfl_up_sync" : "__shfl_down_sync") + "(0xffffffffu, ";
            text += what.type == ir::Type::mask ? "(int)" + there + ", 1) != 0" : there + ", 1)";
        } else if (what.instruction.op == Op::load) {
            text = load(what.instruction.index, dy, col);
        } else if (what.instruction.op == Op::uniform) {
            text = "u[" + str(what.instruction.index) + "]";
        } else {
            std::vector<std::string> args;
            for (int i = 0; i < ir::arity(what.instruction.op); ++i) args.push_back(get(what.args[static_cast<std::size_t>(i)], dy, col));
            text = expression(what.instruction, args, program_.f64);
        }
        return known_[key] = define(what.type, text);
    }

    std::string load(ir::Array array, int dy, int col) {
        if (program_.arrays[static_cast<std::size_t>(array)].kind == ir::ArrayInfo::Kind::state) {
            return std::string(dy < 0 ? "n" : dy > 0 ? "s" : "c") + ".a" + str(array) + "[" + str(col) + "]";
        }
        const auto key = std::make_pair(array, dy);
        if (!map_rows_.count(key)) {
            const std::string name = "map" + str(array) + "_" + str(dy + 1);
            body_ += "    const Columns " + name + " = map" + str(array) + "_" + (border_ ? "border" : "inner") + "(where, tables, r + " +
                     str(dy) + ", u);\n";
            map_rows_[key] = name;
        }
        return map_rows_[key] + ".c[" + str(col) + "]";
    }

    std::string axis(const ir::Instruction& instruction, int dy, int col) {
        const int d = direction(static_cast<ir::Axis>(instruction.index));
        const std::string table = "tables.axis_" + std::string(kAxisNames[instruction.index]);
        if (d == 2) return table + "[0]";
        const bool wraps = periodic_side(d);
        if (d == 1) return table + "[" + (border_ && wraps ? "wrapped" : "clamped") + "(r + " + str(dy) + ", where.ny)]";
        if (!border_ && col >= 0 && col < columns_) return table + "[where.x + " + str(col) + "]";
        return table + "[" + (wraps ? "wrapped" : "clamped") + "(where.x + " + str(col) + ", where.nx)]";
    }
    bool periodic_side(int d) const { return grid_.sides[static_cast<std::size_t>(2 * d)].rule == domain::Rule::periodic; }

    const ir::Program& program_;
    const domain::Grid& grid_;
    ShiftClasses classes_;
    bool border_;
    int columns_, next_ = 0;
    std::string body_;
    std::map<std::tuple<int, int, int>, std::string> known_;
    std::map<std::pair<ir::Array, int>, std::string> map_rows_;
    std::vector<std::pair<int, int>> reach_;  // by class: the columns that its loads span; a lane computes what has its middle there
};

class StreamEmitter {
   public:
    StreamEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush)
        : program_(program),
          grid_(grid),
          steps_(steps),
          flush_(flush),
          columns_(stream_columns(program.f64)),
          states_(program.state_count()) {
        for (const auto& in : program.step.stages[0].code) {
            if (in.op == Op::axis) axes_.insert(in.index);
            if (in.op == Op::load && in.index >= states_) maps_.insert(in.index);
        }
    }

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
    std::string vector_type() const { return program_.f64 ? "double2" : "float4"; }
    static const char* member(int col) {
        constexpr const char* kMembers[] = {"x", "y", "z", "w"};
        return kMembers[col];
    }

    void head() {
        const std::size_t uniforms = std::max<std::size_t>(1, program_.uniforms.size());
        text_ += "constexpr int kColumns = " + std::to_string(uniforms) + ";  // of the table of uniforms\n";
        text_ +=
            "struct Shape { int nx, ny, strips, chunks, chunk_rows, first_strip, inner_strips, first_chunk, inner_chunks; long long pitch; "
            "};\n";
        text_ += "struct Where { int nx, ny, x; long long pitch; };  // x: the first column of this lane\n";
        text_ += "struct Columns { real c[" + str(columns_) + "]; };\n";
        text_ += "struct Cells { real ";
        for (int a = 0; a < states_; ++a) text_ += (a ? ", a" : "a") + str(a) + "[" + str(columns_) + "]";
        text_ += "; };\nstruct Tables { const real *none";
        for (ir::Array map : maps_) text_ += ", *a" + str(map);
        for (int axis : axes_) text_ += ", *axis_" + std::string(kAxisNames[axis]);
        text_ += "; };\n";
        text_ += "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n";
        text_ += "__device__ __forceinline__ int wrapped(int i, int n) { i %= n; return i < 0 ? i + n : i; }\n";
    }

    std::string index_text(const ir::GhostRule& rule, int d, const std::string& i, const std::string& n) const {
        return std::string(periodic(rule, d) ? "wrapped(" : "clamped(") + i + ", " + n + ")";
    }

    void vector_load(const std::string& to, const std::string& from) {
        text_ += "    { const " + vector_type() + " cells = *reinterpret_cast<const " + vector_type() + "*>(" + from + ");";
        for (int col = 0; col < columns_; ++col) text_ += " " + to + "[" + str(col) + "] = cells." + member(col) + ";";
        text_ += " }\n";
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
    void guard(const std::string& beyond, const ir::Ghost& ghost, const std::string& cell) {
        if (ghost.alpha >= 0) text_ += "    if (" + beyond + ") " + cell + " = " + ghost_text(ghost, cell, program_.f64) + ";\n";
    }

    std::string state_parameters(const char* type, const char* suffix) const {
        std::string text;
        for (int a = 0; a < states_; ++a) text += std::string(", ") + type + "* __restrict__ a" + str(a) + suffix;
        return text;
    }
    std::string state_names(const char* suffix) const {
        std::string text;
        for (int a = 0; a < states_; ++a) text += ", a" + str(a) + suffix;
        return text;
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
                text_ += "    " + vector_type() + " cells" + str(a) + ";";
                for (int col = 0; col < columns_; ++col)
                    text_ += " cells" + str(a) + "." + member(col) + " = " + from + "[" + str(col) + "];";
                text_ += "\n    *reinterpret_cast<" + vector_type() + "*>(" + to + ") = cells" + str(a) + ";\n";
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

    // The columns beyond both sides of a row; column 0 is the first of its lane.
    void column_ghosts() {
        text_ += "\n__device__ __forceinline__ void ghosts(const Where& where, const real (&u)[kColumns], Cells& row) {\n";
        for (int a = 0; a < states_; ++a) {
            const ir::GhostRule& rule = rule_of(program_, a);
            if (periodic(rule, 0)) continue;
            const std::string cells = "row.a" + str(a), last = str(columns_ - 1), id = str(a);
            text_ += "    const real first" + id + " = __shfl_down_sync(0xffffffffu, " + cells + "[0], 1);\n";
            text_ += "    const real last" + id + " = __shfl_up_sync(0xffffffffu, " + cells + "[" + last + "], 1);\n";
            text_ += "    if (where.x == -" + str(columns_) + ") " + cells + "[" + last +
                     "] = " + ghost_text(rule[domain::kLeft], "first" + id, program_.f64) + ";\n";
            for (int col = columns_ - 1; col >= 0; --col) {
                const std::string inside = col == 0 ? "last" + id : cells + "[" + str(col - 1) + "]";
                text_ += "    if (where.x + " + str(col) + " == where.nx) " + cells + "[" + str(col) +
                         "] = " + ghost_text(rule[domain::kRight], inside, program_.f64) + ";\n";
            }
        }
        text_ += "}\n";
    }

    std::vector<Argument> arguments() const {
        using Kind = Argument::Kind;
        std::vector<Argument> list = {{Kind::numbers, 0}, {Kind::shape, 0}};
        for (int a = 0; a < states_; ++a) list.push_back({Kind::load, a});
        for (int a = 0; a < states_; ++a) list.push_back({Kind::store, a});
        for (ir::Array map : maps_) list.push_back({Kind::load, map});
        for (int axis : axes_) list.push_back({Kind::axis, axis});
        return list;
    }

    void kernel(const std::string& kind, bool border) {
        const int halo = halo_lanes(program_.f64, steps_);
        // Blocks that share a multiprocessor: three of up to 168 registers. The few border warps do not spill for company.
        const int blocks = border ? 1 : stream_registers(program_, steps_) <= kRegistersOfThree ? 3 : 2;
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(kStreamThreads) + ", " + str(blocks) + ") " + kind +
                 "(const Numbers numbers, const Shape shape" + state_parameters("const real", "") + state_parameters("real", "_next");
        for (ir::Array map : maps_) text_ += ", const real* __restrict__ a" + str(map);
        for (int axis : axes_) text_ += std::string(", const real* __restrict__ axis_") + kAxisNames[axis];
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
        text_ += "    const Tables tables = {nullptr";
        for (ir::Array map : maps_) text_ += ", a" + str(map);
        for (int axis : axes_) text_ += std::string(", axis_") + kAxisNames[axis];
        text_ += "};\n";
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

    const ir::Program& program_;
    const domain::Grid& grid_;
    int steps_;
    bool flush_;
    int columns_, states_;
    std::set<int> axes_;
    std::set<ir::Array> maps_;
    std::string text_;
};

}  // namespace

int stream_columns(bool f64) { return f64 ? 2 : 4; }

int stream_width(bool f64, int steps) { return (kLanes - 2 * halo_lanes(f64, steps)) * stream_columns(f64); }

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
    if (program.step.stages.size() != 1) return "a step has " + std::to_string(program.step.stages.size()) + " stages";
    for (const auto& in : program.step.stages[0].code) {
        if (in.op == Op::load && (std::abs(in.offset[0]) > 1 || std::abs(in.offset[1]) > 1))
            return "a stencil reaches further than one cell";
    }
    // a cell beyond a border is another cell of the grid to what wraps, and made from the one before it to what does not
    for (int d = 0; d < 2; ++d) {
        const bool wraps = grid.sides[static_cast<std::size_t>(2 * d)].rule == domain::Rule::periodic;
        for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
            if (periodic(rule_of(program, a), d) != wraps) return "some fields wrap along an axis along which others do not";
        }
    }
    return "";
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
