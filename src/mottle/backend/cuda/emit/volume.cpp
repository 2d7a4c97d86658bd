// mottle/backend/cuda/emit/volume.cpp: several steps in one pass over a volume: a block marches through the planes with a tile of columns and rows
#include "mottle/backend/cuda/emit/volume.h"

#include "mottle/backend/cuda/grid/levels.h"
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
          reach_(steps * step_reach(program)),
          levels_(levels_of(program, steps)),
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
        for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage) side_ghosts(stage);
        for (const bool border : {false, true}) {
            if (border && rows_have_no_border(grid_, program_.f64)) continue;
            for (ir::Array map : maps_) map_columns(map, border);
            stages(border, rows_);
            load_plane(border);
            store_plane(border);
            if (border) stage_ghosts(whole_);
            kernel(border);
            module.kernels.push_back({kind(border), arguments()});
        }
        module.text = text_;
        return module;
    }

   private:
    bool wraps(int d) const { return grid_.sides[core::at(2 * d)].rule == domain::Rule::periodic; }
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

    // Rows just beyond the first and the last one, where a thread has both, of what a stage is the first to read.
    void side_ghosts(std::size_t stage) {
        if (wraps(1) || rows_ == 1) return;
        text_ += "\n__device__ __forceinline__ void sides" + std::to_string(stage) +
                 "(const Where& where, const real (&u)[kColumns], Plane& plane) {\n";
        for (int row = 0; row + 1 < rows_; ++row) {
            for (const bool top : {true, false}) {
                const std::string beyond = "plane.row[" + str(top ? row : row + 1) + "].a",
                                  inside = "plane.row[" + str(top ? row + 1 : row) + "].a";
                text_ += "    if (where.y + " + str(row + 1) + (top ? " == 0) {\n" : " == where.ny) {\n");
                for (const ir::Array a : ghosted_arrays(program_, stage)) {
                    const ir::Ghost& ghost = program_.ghosts_of(a)[top ? domain::kTop : domain::kBottom];
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
    void map_columns(ir::Array map, bool border) {
        const ir::GhostRule& rule = program_.ghosts_of(map);
        text_ += "\n__device__ __forceinline__ Columns map" + str(map) + "_" + kind(border) +
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
    void load_plane(bool border) {
        text_ += "\n__device__ __forceinline__ Plane load_" + kind(border) + "(const Where& where, const int z" +
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

    void store_plane(bool border) {
        text_ += "\n__device__ __forceinline__ void store_" + kind(border) + "(const Where& where, const int z, const Plane& plane" +
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

    void kernel(bool border) {
        const int halo = halo_lanes(program_.f64, reach_);
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(warps_ * kLanes) + ", 1) " + kind(border) +
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
                 str(stream_width(program_.f64, reach_)) + " + (lane - " + str(halo) + ") * " + str(columns_) + ";\n    where.y = tile * " +
                 str(rows_ * warps_ - 2 * reach_) + " - " + str(reach_) + " + warp * " + str(rows_) + ";\n    where.keeps = 0;\n";
        const std::string keeps = "lane >= " + str(halo) + " && lane < " + str(kLanes - halo) + " && where.x < shape.nx";
        for (int row = 0; row < rows_; ++row) {
            const std::string y = "where.y + " + str(row), inside = "warp * " + str(rows_) + " + " + str(row);
            text_ += "    where.row[" + str(row) + "] = " + place(1, y, "shape.ny") + " * shape.pitch;\n";
            text_ += "    if (" + keeps + " && " + inside + " >= " + str(reach_) + " && " + inside + " < " + str(rows_ * warps_ - reach_) +
                     " && " + y + " < shape.ny) where.keeps |= " + str(1 << row) + ";\n";
        }
        std::string column = wraps(0) ? "wrapped(where.x, shape.nx)" : "where.x";
        if (border && !wraps(0)) column = "clamped(where.x, shape.nx - " + str(columns_ - 1) + ")";  // a lane beyond takes any cells
        text_ += "    where.column = " + column + ";\n";
        text_ += "    const Tables tables = " + table_values() +
                 ";\n    // two planes of every level that reads planes beside; p is the older one in the first half of the loop, q in the "
                 "second\n";
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const std::string level = std::to_string(l);
            if (levels_[l].reach > 0) text_ += "    Plane p" + level + " = {}, q" + level + " = {};\n";
        }
        if (shares_) text_ += "    Cells above = {}, below = {};\n";
        text_ += "    int at = " + place(2, "first - " + str(reach_), "shape.nz") + ";\n";
        text_ += "    Plane next = load_" + kind(border) + "(where, at" + state_names("") + ");\n";
        text_ += "    for (int z = first - " + str(reach_) + "; z < end + " + str(reach_) + "; z += 2) {\n";
        plane(border, 0);
        plane(border, 1);
        text_ += "    }\n}\n";
    }

    static std::string plane_name(int beyond) { return beyond < 0 ? "z - " + str(-beyond) : "z + " + str(beyond); }

    // Takes in plane z + half; a level makes its plane as far behind it as this one and those before it reach together.
    void plane(bool border, int half) {
        const std::string p = half == 0 ? "p" : "q", q = half == 0 ? "q" : "p";
        text_ += "        {\n            Plane plane = next, made;\n            at = ";
        text_ += wraps(2) ? "at + 1 == shape.nz ? 0 : at + 1" : "clamped(z + " + str(half + 1) + ", shape.nz)";
        text_ += ";\n            next = load_" + kind(border) + "(where, at" + state_names("") + ");\n";
        int made = half;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const Level& level = levels_[l];
            const std::string numbers = "numbers.u[" + str(level.step) + "]", id = std::to_string(l), stage = std::to_string(level.stage);
            const std::string old = level.reach > 0 ? p + id : "plane", current = level.reach > 0 ? q + id : "plane";
            const bool meets = !exchanged_arrays(program_, level.stage).empty();
            made -= level.reach;
            for (int row = 0; border && !wraps(0) && row < rows_; ++row)
                text_ += "            ghosts" + stage + "(where, " + numbers + ", plane.row[" + str(row) + "]);\n";
            if (!wraps(1) && rows_ > 1) text_ += "            sides" + stage + "(where, " + numbers + ", plane);\n";
            if (meets)  // edges in turn: those of the meeting before may still be read
                text_ += "            " + meet_name(level.stage) + "(edges.of[" + str(met_++ % 2) + "], warp, lane, " + current +
                         ", above, below);\n";
            text_ += "            made = " + stage_name(flushes(level.step), level.stage, border) + "(where, tables, " + plane_name(made) +
                     ", " + numbers + ", " + old + ", " + current + ", plane, " + (meets ? "above, below" : "plane.row[0], plane.row[0]") +
                     ");\n";
            if (level.reach > 0) text_ += "            " + old + " = plane;\n";
            text_ += "            plane = made;\n";
        }
        const std::string r = plane_name(made);
        text_ += "            if (" + r + " >= first && " + r + " < end) store_" + kind(border) + "(where, " + r + ", plane" +
                 state_names("_next") + ");\n        }\n";
    }

    int reach_;
    std::vector<Level> levels_;
    int met_ = 0;  ///< meetings of warps in the text: as many in both halves of a loop
    int rows_, warps_;
    bool shares_;         // rows beside are read
    bool whole_ = false;  // all loads and stores are of 16 bytes
};

}  // namespace

std::string volume_obstacle(const ir::Program& program, const domain::Grid& grid) {
    if (stream_width(program.f64, least_steps(program) * step_reach(program)) <= 0)
        return "the stages of a step reach further than the columns of a warp";
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
    const int words = program.f64 ? 2 : 1, row = stream_columns(program.f64) * words,
              arrays = static_cast<int>(cell_arrays(program).size());
    // sums and chains come and go; what is read from maps and tables is fetched early and waits
    int under_way = 0;
    for (const ir::Stage& stage : program.step.stages) {
        int fetched = 0;
        std::set<std::pair<ir::Array, std::array<std::int8_t, 3>>> loads;
        for (const auto& in : stage.code) {
            fetched += in.op == Op::axis ? 2 : 0;
            const bool map = in.op == Op::load && program.arrays[core::at(in.index)].kind == ir::ArrayInfo::Kind::input;
            if (map && loads.emplace(in.index, in.offset).second) fetched += 2 * row;
        }
        under_way = std::max(under_way, std::min(ir::operations(stage.code), 40) + fetched);
    }
    return row * (kept_rows(program, 2) * rows * steps + arrays * (rows + 1)) + 24 + under_way;
}

VolumeTile volume_tile(const ir::Program& program, int steps) {
    VolumeTile best{0, 0};
    const int reach = steps * step_reach(program);
    for (const int warps : {16, 12, 8}) {
        for (const int rows : {1, 2, 3, 4}) {
            const VolumeTile tile{rows, warps};
            const int registers = std::min(255, kProcessorRegisters / tile.threads() / 8 * 8);
            const int needed = volume_registers(program, steps, rows), spare = program.step.stages.size() > 1 ? registers / 25 : 0;
            if (needed + spare > registers || exchange_bytes(program, rows, warps) > kSharedBytes) continue;
            if (tile.height() > 2 * reach && tile.height() > best.height()) best = tile;
        }
    }
    return best;
}

VolumeShape volume_shape(const domain::Grid& grid, bool f64, int reach, const VolumeTile& tile, int chunk_planes, long long pitch) {
    VolumeShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]), shape.nz = static_cast<int>(grid.size[2]);
    shape.pitch = pitch;
    const int width = stream_width(f64, reach), halo = halo_lanes(f64, reach) * stream_columns(f64), all = kLanes * stream_columns(f64);
    const int height = tile.height() - 2 * reach;
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
