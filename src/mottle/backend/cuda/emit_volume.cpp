// mottle/backend/cuda/emit_volume.cpp: several steps in one pass over a volume: a block marches through the planes with a tile of columns and rows
#include "mottle/backend/cuda/emit_volume.h"

#include "mottle/backend/cuda/stream_step.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

namespace mottle::backend::cuda {
namespace {

using ir::Op;

constexpr core::Index kPitchSlack = 128;  // cells by which rows lie further apart than they are long, at most

using core::str;

// Rows that end with the columns of a lane are read and written 16 bytes at a time; if they wrap, too, they have no border strips.
bool rows_are_whole(const domain::Grid& grid, bool f64) { return grid.size[0] % stream_columns(f64) == 0; }
bool rows_have_no_border(const domain::Grid& grid, bool f64) {
    return rows_are_whole(grid, f64) && grid.sides[domain::kLeft].rule == domain::Rule::periodic;
}

class VolumeEmitter : StreamText {
   public:
    VolumeEmitter(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, const VolumeTile& tile)
        : StreamText(program, grid, steps, flush),
          rows_(tile.rows),
          warps_(tile.warps),
          shares_(exchange_bytes(program, tile.rows, tile.warps) > 0) {
        whole_ = rows_are_whole(grid, program.f64);
    }

    ModuleText emit() {
        ModuleText module;
        text_ = module_head(program_, str(steps_) + " steps in one pass: a block marches through the planes", steps_);
        head();
        if (shares_) exchange({.rows = rows_, .warps = warps_});
        side_ghosts();
        for (const bool border : {false, true}) {
            if (border && rows_have_no_border(grid_, program_.f64)) continue;
            const std::string kind = border ? "border" : "inner";
            for (ir::Array map : maps_) map_columns(map, kind, border);
            text_ += "\n" + StepEmitter(program_, grid_, program_.step, 0, border, rows_).emit("step_" + kind);
            if (flush_) text_ += "\n" + StepEmitter(program_, grid_, *program_.flush_step, 0, border, rows_).emit("flush_" + kind);
            load_plane(kind, border);
            store_plane(kind, border);
            if (border) column_ghosts("ghosts", states(), whole_);
            kernel(kind, border);
            module.kernels.push_back({kind, arguments()});
        }
        module.text = text_;
        return module;
    }

   private:
    bool wraps(int d) const { return grid_.sides[static_cast<std::size_t>(2 * d)].rule == domain::Rule::periodic; }
    std::string place(int d, const std::string& i, const std::string& n) const {
        return (wraps(d) ? "wrapped(" : "clamped(") + i + ", " + n + ")";
    }

    void head() {
        text_ += "constexpr int kColumns = " + std::to_string(std::max<std::size_t>(1, program_.uniforms.size())) +
                 ";  // of the table of uniforms\n";
        text_ +=
            "struct Shape { int nx, ny, nz, strips, tiles, chunks, chunk_planes, first_strip, inner_strips; long long pitch; };\n"
            "// x, y: the first cell of this thread; column: where x is read; row: its rows in a plane; keeps: those that it stores, as "
            "bits\n"
            "struct Where { int nx, ny, nz, x, y, keeps, column, row[" +
            str(rows_) + "]; long long pitch, layer; };\n";
        structs();
        text_ += "struct Plane { Cells row[" + str(rows_) + "]; };\n";
        text_ += "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n";
        text_ +=
            "__device__ __forceinline__ int wrapped(int i, int n) {\n    if (i >= 0 && i < n) return i;\n    i %= n;\n"
            "    return i < 0 ? i + n : i;\n}\n";
    }

    // Rows just beyond the first and the last one, where a thread has both.
    void side_ghosts() {
        if (wraps(1) || rows_ == 1) return;
        text_ += "\n__device__ __forceinline__ void sides(const Where& where, const real (&u)[kColumns], Plane& plane) {\n";
        for (int row = 0; row + 1 < rows_; ++row) {
            for (const bool top : {true, false}) {
                const std::string beyond = "plane.row[" + str(top ? row : row + 1) + "].a",
                                  inside = "plane.row[" + str(top ? row + 1 : row) + "].a";
                text_ += "    if (where.y + " + str(row + 1) + (top ? " == 0) {\n" : " == where.ny) {\n");
                for (int a = 0; a < states_; ++a) {
                    const ir::Ghost& ghost = rule_of(program_, a)[top ? domain::kTop : domain::kBottom];
                    for (int col = 0; col < columns_; ++col) {
                        const std::string cell = str(a) + "[" + str(col) + "]";
                        text_ += "        " + beyond + cell + " = " + ghost_text(ghost, inside + cell, program_.f64) + ";\n";
                    }
                }
                text_ += "    }\n";
            }
        }
        text_ += "}\n";
    }

    // The cells of a map at row y of plane z, ghosts included.
    void map_columns(ir::Array map, const std::string& kind, bool border) {
        const ir::GhostRule& rule = rule_of(program_, map);
        text_ += "\n__device__ __forceinline__ Columns map" + str(map) + "_" + kind +
                 "(const Where& where, const Tables& tables, const int z, const int y, const real (&u)[kColumns]) {\n    Columns row;\n";
        text_ += "    const real* from = tables.a" + str(map) + " + " + place(2, "z", "where.nz") + " * where.layer + " +
                 place(1, "y", "where.ny") + " * where.pitch;\n";
        if (!border) vector_load("row.c", "from + where.column");
        for (int col = 0; col < columns_; ++col) {
            const std::string cell = "row.c[" + str(col) + "]", x = "where.x + " + str(col);
            if (border) {
                text_ += "    " + cell + " = from[" + place(0, x, "where.nx") + "];\n";
                guard(x + " < 0", rule[domain::kLeft], cell);
                guard(x + " >= where.nx", rule[domain::kRight], cell);
            }
            guard("y < 0", rule[domain::kTop], cell);
            guard("y >= where.ny", rule[domain::kBottom], cell);
            guard("z < 0", rule[domain::kFront], cell);
            guard("z >= where.nz", rule[domain::kBack], cell);
        }
        text_ += "    return row;\n}\n";
    }

    // The plane at index z of the arrays.
    void load_plane(const std::string& kind, bool border) {
        text_ += "\n__device__ __forceinline__ Plane load_" + kind + "(const Where& where, const int z" +
                 state_parameters("const real", "") + ") {\n    Plane plane;\n";
        for (int a = 0; a < states_; ++a) {
            const std::string from = "from" + str(a);
            text_ += "    const real* " + from + " = a" + str(a) + " + z * where.layer;\n";
            for (int row = 0; row < rows_; ++row) {
                const std::string to = "plane.row[" + str(row) + "].a" + str(a), first = from + " + where.row[" + str(row) + "]";
                const bool vectors = whole_ || !border;
                if (vectors) vector_load(to, first + " + where.column");
                for (int col = 0; !vectors && col < columns_; ++col)
                    text_ += "    " + to + "[" + str(col) + "] = (" + first + ")[" + place(0, "where.x + " + str(col), "where.nx") + "];\n";
            }
        }
        text_ += "    return plane;\n}\n";
    }

    void store_plane(const std::string& kind, bool border) {
        text_ += "\n__device__ __forceinline__ void store_" + kind + "(const Where& where, const int z, const Plane& plane" +
                 state_parameters("real", "_next") + ") {\n";
        for (int a = 0; a < states_; ++a) {
            const std::string to = "to" + str(a);
            text_ += "    real* " + to + " = a" + str(a) + "_next + z * where.layer;\n";
            for (int row = 0; row < rows_; ++row) {
                const std::string from = "plane.row[" + str(row) + "].a" + str(a);
                text_ += "    if (where.keeps & " + str(1 << row) + ") {\n    real* cell = " + to + " + where.row[" + str(row) +
                         "] + where.x;\n";
                const bool vectors = whole_ || !border;
                if (vectors) vector_store("cells", from, "cell");
                for (int col = 0; !vectors && col < columns_; ++col)
                    text_ += "    if (where.x + " + str(col) + " < where.nx) cell[" + str(col) + "] = " + from + "[" + str(col) + "];\n";
                text_ += "    }\n";
            }
        }
        text_ += "}\n";
    }

    void kernel(const std::string& kind, bool border) {
        const int halo = halo_lanes(program_.f64, steps_);
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(warps_ * kLanes) + ", 1) " + kind +
                 "(const Numbers numbers, const Shape shape" + pointers() + ") {\n";
        if (shares_) text_ += "    MOTTLE_SHARED(Edges, edges);\n";
        text_ += "    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31);\n    const int strips = " +
                 std::string(border ? "shape.strips - shape.inner_strips" : "shape.inner_strips") +
                 ";\n    const int across = (int)blockIdx.x % strips, tile = (int)blockIdx.x / strips % shape.tiles;\n"
                 "    const int strip = " +
                 (border ? "across < shape.first_strip ? across : across + shape.inner_strips" : "across + shape.first_strip") +
                 ";\n    const int first = (int)blockIdx.x / strips / shape.tiles * shape.chunk_planes;\n"
                 "    const int end = first + shape.chunk_planes < shape.nz ? first + shape.chunk_planes : shape.nz;\n"
                 "    Where where;\n    where.nx = shape.nx, where.ny = shape.ny, where.nz = shape.nz;\n"
                 "    where.pitch = shape.pitch, where.layer = shape.ny * shape.pitch;\n    where.x = strip * " +
                 str(stream_width(program_.f64, steps_)) + " + (lane - " + str(halo) + ") * " + str(columns_) + ";\n    where.y = tile * " +
                 str(rows_ * warps_ - 2 * steps_) + " - " + str(steps_) + " + warp * " + str(rows_) + ";\n    where.keeps = 0;\n";
        const std::string keeps = "lane >= " + str(halo) + " && lane < " + str(kLanes - halo) + " && where.x < shape.nx";
        for (int row = 0; row < rows_; ++row) {
            const std::string y = "where.y + " + str(row), inside = "warp * " + str(rows_) + " + " + str(row);
            text_ += "    where.row[" + str(row) + "] = " + place(1, y, "shape.ny") + " * shape.pitch;\n";
            text_ += "    if (" + keeps + " && " + inside + " >= " + str(steps_) + " && " + inside + " < " + str(rows_ * warps_ - steps_) +
                     " && " + y + " < shape.ny) where.keeps |= " + str(1 << row) + ";\n";
        }
        std::string column = wraps(0) ? "wrapped(where.x, shape.nx)" : "where.x";
        if (border && !wraps(0)) column = "clamped(where.x, shape.nx - " + str(columns_ - 1) + ")";  // a lane beyond takes any cells
        text_ += "    where.column = " + column + ";\n";
        text_ += "    const Tables tables = " + table_values() + ";\n    Plane ";
        for (int level = 0; level < steps_; ++level) text_ += (level ? ", p" : "p") + str(level) + " = {}, q" + str(level) + " = {}";
        text_ += ";  // two planes of every level; p is the older one in the first half of the loop, q in the second\n";
        if (shares_) text_ += "    Cells above = {}, below = {};\n";
        text_ += "    int at = " + place(2, "first - " + str(steps_), "shape.nz") + ";\n";
        text_ += "    Plane next = load_" + kind + "(where, at" + state_names("") + ");\n";
        text_ += "    for (int z = first - " + str(steps_) + "; z < end + " + str(steps_) + "; z += 2) {\n";
        plane(kind, border, 0);
        plane(kind, border, 1);
        text_ += "    }\n}\n";
    }

    // Takes in plane z + half; level l makes its plane z + half - l - 1.
    void plane(const std::string& kind, bool border, int half) {
        const std::string old = half == 0 ? "p" : "q", current = half == 0 ? "q" : "p";
        text_ += "        {\n            Plane plane = next, made;\n            at = ";
        text_ += wraps(2) ? "at + 1 == shape.nz ? 0 : at + 1" : "clamped(z + " + str(half + 1) + ", shape.nz)";
        text_ += ";\n            next = load_" + kind + "(where, at" + state_names("") + ");\n";
        for (int level = 0; level < steps_; ++level) {
            const std::string numbers = "numbers.u[" + str(level) + "]", l = str(level);
            const std::string step = flush_ && level + 1 == steps_ ? "flush_" : "step_";
            for (int row = 0; border && !wraps(0) && row < rows_; ++row)
                text_ += "            ghosts(where, " + numbers + ", plane.row[" + str(row) + "]);\n";
            if (!wraps(1) && rows_ > 1) text_ += "            sides(where, " + numbers + ", plane);\n";
            if (shares_)  // edges in turn: those of the level before may still be read
                text_ += "            meet(edges.of[" + str((half * steps_ + level) % 2) + "], warp, lane, " + current + l +
                         ", above, below);\n";
            text_ += "            made = " + step + kind + "(where, tables, z - " + str(level + 1 - half) + ", " + numbers + ", " + old +
                     l + ", " + current + l + ", plane, " + (shares_ ? "above, below" : "plane.row[0], plane.row[0]") + ");\n            " +
                     old + l + " = plane;\n            plane = made;\n";
        }
        const std::string r = "z - " + str(steps_ - half);
        text_ += "            if (" + r + " >= first && " + r + " < end) store_" + kind + "(where, " + r + ", plane" +
                 state_names("_next") + ");\n        }\n";
    }

    int rows_, warps_;
    bool shares_;         // rows beside are read
    bool whole_ = false;  // all loads and stores are of 16 bytes
};

}  // namespace

std::string volume_obstacle(const ir::Program& program, const domain::Grid& grid) {
    if (std::string obstacle = stages_obstacle(program); !obstacle.empty()) return obstacle;
    for (const auto& stage : program.step.stages) {
        for (const auto& in : stage.code) {
            if (in.op == Op::load && std::count(in.offset.begin(), in.offset.end(), 0) < 2)
                return "a stencil reaches along two axes at once";
        }
    }
    if (grid.size[0] + kPitchSlack > std::numeric_limits<int>::max() / grid.size[1]) return "a plane has more cells than 32 bits count";
    return pass_obstacle(program, grid, 3);
}

int volume_registers(const ir::Program& program, int steps, int rows) {
    const int words = program.f64 ? 2 : 1, row = program.state_count() * stream_columns(program.f64) * words;
    // sums and chains come and go; what is read from maps and tables is fetched early and waits
    int fetched = 0;
    std::set<std::pair<ir::Array, std::array<std::int8_t, 3>>> loads;
    for (const auto& in : program.step.stages[0].code) {
        fetched += in.op == Op::axis ? 2 : 0;
        if (in.op == Op::load && in.index >= program.state_count() && loads.emplace(in.index, in.offset).second)
            fetched += 2 * words * stream_columns(program.f64);
    }
    return 2 * row * rows * steps + row * (rows + 1) + 24 + std::min(ir::operations(program.step.stages[0].code), 40) + fetched;
}

VolumeTile volume_tile(const ir::Program& program, int steps) {
    VolumeTile best{0, 0};
    for (const int warps : {16, 12, 8}) {
        for (const int rows : {1, 2, 3, 4}) {
            const VolumeTile tile{rows, warps};
            const int registers = std::min(255, kProcessorRegisters / tile.threads() / 8 * 8);
            if (volume_registers(program, steps, rows) > registers || exchange_bytes(program, rows, warps) > kSharedBytes) continue;
            if (tile.height() > 2 * steps && tile.height() > best.height()) best = tile;
        }
    }
    return best;
}

VolumeShape volume_shape(const domain::Grid& grid, bool f64, int steps, const VolumeTile& tile, int chunk_planes, long long pitch) {
    VolumeShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]), shape.nz = static_cast<int>(grid.size[2]);
    shape.pitch = pitch;
    const int width = stream_width(f64, steps), halo = halo_lanes(f64, steps) * stream_columns(f64), all = kLanes * stream_columns(f64);
    const int height = tile.height() - 2 * steps;
    shape.strips = (shape.nx + width - 1) / width;
    shape.tiles = (shape.ny + height - 1) / height;
    shape.chunk_planes = chunk_planes;
    shape.chunks = (shape.nz + chunk_planes - 1) / chunk_planes;
    if (rows_have_no_border(grid, f64)) {
        shape.inner_strips = shape.strips;
        return shape;
    }
    auto inner = [&](int strip) { return strip * width >= halo && strip * width - halo + all <= shape.nx; };
    while (shape.first_strip < shape.strips && !inner(shape.first_strip)) ++shape.first_strip;
    while (shape.first_strip + shape.inner_strips < shape.strips && inner(shape.first_strip + shape.inner_strips)) ++shape.inner_strips;
    return shape;
}

ModuleText emit_volume(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, const VolumeTile& tile) {
    return VolumeEmitter(program, grid, steps, flush, tile).emit();
}

}  // namespace mottle::backend::cuda
