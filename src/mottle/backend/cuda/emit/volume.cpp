// mottle/backend/cuda/emit/volume.cpp: several steps in one pass over a volume: a block marches through the planes with a tile of columns and rows
#include "mottle/backend/cuda/emit/volume.h"

#include "mottle/backend/cuda/emit/rows_text.h"
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
bool rows_have_no_border(const domain::Grid& grid, bool f64) { return rows_are_whole(grid, f64) && domain::wraps(grid, domain::kLeft); }

std::string volume_head(const FusedSteps& of, int rows) {
    return uniform_columns_text(of.plan.program) +
           "struct Shape { int nx, ny, nz, strips, tiles, chunks, chunk_planes, first_strip, inner_strips; long long pitch; };\n"
           "// x, y: the first cell of this thread; column: where x is read; row: its rows in a plane; keeps: those that it stores, as "
           "bits\n"
           "struct Where { int nx, ny, nz, x, y, keeps, column, row[" +
           str(rows) + "]; long long pitch, layer; };\n" + structs_text(of) + "struct Plane { Cells row[" + str(rows) +
           "]; };\n"
           "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n"
           "__device__ __forceinline__ int wrapped(int i, int n) {\n    if (i >= 0 && i < n) return i;\n    i %= n;\n"
           "    return i < 0 ? i + n : i;\n}\n";
}

// The rows just beyond the first and the last row of the grid, for arrays that no earlier stage has read, where a thread has the row inside.
std::string side_ghosts(const FusedSteps& of, std::size_t stage, int rows) {
    if (of.wraps(1) || rows == 1) return "";
    std::string text = "\n__device__ __forceinline__ void sides" + std::to_string(stage) +
                       "(const Where& where, const real (&u)[kColumns], Plane& plane) {\n";
    for (int row = 0; row + 1 < rows; ++row) {
        for (const bool top : {true, false}) {
            const std::string beyond = "plane.row[" + str(top ? row : row + 1) + "].a",
                              inside = "plane.row[" + str(top ? row + 1 : row) + "].a";
            text += "    if (where.y + " + str(row + 1) + (top ? " == 0) {\n" : " == where.ny) {\n");
            for (const ir::Array a : of.plan.ghosted(stage)) {
                const ir::Ghost& ghost = of.ghosts_of(a)[top ? domain::kTop : domain::kBottom];
                for (int col = 0; col < of.columns; ++col) {
                    const std::string cell = str(a) + "[" + str(col) + "]";
                    text += "        " + beyond + cell + " = " + ghost_text(ghost, inside + cell, of.f64()) + ";\n";
                }
            }
            text += "    }\n";
        }
    }
    return text + "}\n";
}

// The cells of a map at row y of plane z, ghosts included.
std::string map_columns(const FusedSteps& of, ir::Array map, bool border) {
    std::string text =
        "\n__device__ __forceinline__ Columns map" + str(map) + "_" + kind_text(border) +
        "(const Where& where, const Tables& tables, const int z, const int y, const real (&u)[kColumns]) {\n    Columns row;\n"
        "    const real* from = tables.a" +
        str(map) + " + " + index_text(of.wraps(2), "z", "where.nz") + " * where.layer + " + index_text(of.wraps(1), "y", "where.ny") +
        " * where.pitch;\n";
    if (!border) text += vector_load(of, "row.c", "from + where.column");
    for (int col = 0; col < of.columns; ++col) {
        const std::string cell = "row.c[" + str(col) + "]", x = "where.x + " + str(col);
        if (border) text += "    " + cell + " = from[" + index_text(of.wraps(0), x, "where.nx") + "];\n";
        text += guards_text(of, map, {border ? x : "", "y", "z"}, cell);
    }
    return text + "    return row;\n}\n";
}

/// Whether load_KIND and store_KIND read and write all columns of a lane with one access.
bool takes_vectors(const FusedSteps& of, bool border) { return !border || rows_are_whole(of.grid, of.f64()); }

// The plane at index z of the arrays.
std::string load_plane(const FusedSteps& of, bool border, int rows) {
    std::string text = "\n__device__ __forceinline__ Plane load_" + kind_text(border) + "(const Where& where, const int z" +
                       state_parameters(of, "const real", "") + ") {\n    Plane plane;\n";
    for (int a = 0; a < of.plan.states; ++a) {
        const std::string from = "from" + str(a);
        text += "    const real* " + from + " = a" + str(a) + " + z * where.layer;\n";
        for (int row = 0; row < rows; ++row) {
            const std::string to = row_cells(row) + ".a" + str(a), first = from + " + where.row[" + str(row) + "]";
            if (takes_vectors(of, border)) text += vector_load(of, to, first + " + where.column");
            for (int col = 0; !takes_vectors(of, border) && col < of.columns; ++col)
                text += "    " + to + "[" + str(col) + "] = (" + first + ")[" +
                        index_text(of.wraps(0), "where.x + " + str(col), "where.nx") + "];\n";
        }
    }
    return text + "    return plane;\n}\n";
}

std::string store_plane(const FusedSteps& of, bool border, int rows) {
    std::string text = "\n__device__ __forceinline__ void store_" + kind_text(border) +
                       "(const Where& where, const int z, const Plane& plane" + state_parameters(of, "real", "_next") + ") {\n";
    for (int a = 0; a < of.plan.states; ++a) {
        const std::string to = "to" + str(a);
        text += "    real* " + to + " = a" + str(a) + "_next + z * where.layer;\n";
        for (int row = 0; row < rows; ++row) {
            const std::string from = row_cells(row) + ".a" + str(a);
            text +=
                "    if (where.keeps & " + str(1 << row) + ") {\n    real* cell = " + to + " + where.row[" + str(row) + "] + where.x;\n";
            if (takes_vectors(of, border)) text += vector_store(of, "cells", from, "cell");
            for (int col = 0; !takes_vectors(of, border) && col < of.columns; ++col)
                text += "    if (where.x + " + str(col) + " < where.nx) cell[" + str(col) + "] = " + from + "[" + str(col) + "];\n";
            text += "    }\n";
        }
    }
    return text + "}\n";
}

// The position of a thread, and which of its rows it stores.
std::string volume_where(const FusedSteps& of, const VolumeTile& tile, bool border) {
    const std::string halo = str(halo_lanes(of.f64(), of.reach())), reach = str(of.reach()), rows = str(tile.rows);
    std::string text = "    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31);\n    const int strips = " +
                       std::string(border ? "shape.strips - shape.inner_strips" : "shape.inner_strips") +
                       ";\n    const int across = (int)blockIdx.x % strips, tile = (int)blockIdx.x / strips % shape.tiles;\n"
                       "    const int strip = " +
                       (border ? "across < shape.first_strip ? across : across + shape.inner_strips" : "across + shape.first_strip") +
                       ";\n    const int first = (int)blockIdx.x / strips / shape.tiles * shape.chunk_planes;\n"
                       "    const int end = first + shape.chunk_planes < shape.nz ? first + shape.chunk_planes : shape.nz;\n"
                       "    Where where;\n    where.nx = shape.nx, where.ny = shape.ny, where.nz = shape.nz;\n"
                       "    where.pitch = shape.pitch, where.layer = shape.ny * shape.pitch;\n    where.x = strip * " +
                       str(stream_width(of.f64(), of.reach())) + " + (lane - " + halo + ") * " + str(of.columns) +
                       ";\n    where.y = tile * " + str(tile.height() - 2 * of.reach()) + " - " + reach + " + warp * " + rows +
                       ";\n    where.keeps = 0;\n";
    const std::string keeps = "lane >= " + halo + " && lane < " + str(kLanes - halo_lanes(of.f64(), of.reach())) + " && where.x < shape.nx";
    for (int row = 0; row < tile.rows; ++row) {
        const std::string y = "where.y + " + str(row), inside = "warp * " + rows + " + " + str(row);
        text += "    where.row[" + str(row) + "] = " + index_text(of.wraps(1), y, "shape.ny") + " * shape.pitch;\n    if (" + keeps +
                " && " + inside + " >= " + reach + " && " + inside + " < " + str(tile.height() - of.reach()) + " && " + y +
                " < shape.ny) where.keeps |= " + str(1 << row) + ";\n";
    }
    std::string column = of.wraps(0) ? "wrapped(where.x, shape.nx)" : "where.x";
    if (border && !of.wraps(0))
        column = "clamped(where.x, shape.nx - " + str(of.columns - 1) + ")";  // a lane beyond the grid may load any cells
    return text + "    where.column = " + column + ";\n    const Tables tables = " + table_values(of) + ";\n";
}

std::string volume_kernel(const FusedSteps& of, const VolumeTile& tile, bool border) {
    const bool shares = exchange_bytes(of.plan, tile.rows, tile.warps) > 0;
    const std::string reach = str(of.reach());
    int met = 0;  // number of exchanges between warps so far in the text; it is the same in both halves of the loop
    March march{.type = "Plane", .cells = "plane", .along = "z"};
    for (int half : {0, 1}) {
        const std::string at = of.wraps(2) ? "at + 1 == shape.nz ? 0 : at + 1" : index_text(false, "z + " + str(half + 1), "shape.nz");
        march.loads[half] = next_text(of, march, border, "            at = " + at + ";\n", "at");
    }
    const auto meets = [&](const Level& level) { return !of.plan.exchanged(level.stage).empty(); };
    march.prepare = [&](const Level& level, const std::string& current) {
        std::string text;
        const std::string stage = std::to_string(level.stage);
        for (int row = 0; border && !of.wraps(0) && row < tile.rows; ++row)
            text += "            ghosts" + stage + "(where, " + numbers_of(level) + ", " + row_cells(row) + ");\n";
        if (!of.wraps(1) && tile.rows > 1) text += "            sides" + stage + "(where, " + numbers_of(level) + ", plane);\n";
        if (meets(level))  // `edges` alternates: the values of the exchange before may still be read
            text += "            " + meet_name(of, level.stage) + "(edges.of[" + str(met++ % 2) + "], warp, lane, " + current +
                    ", above, below);\n";
        return text;
    };
    march.beside = [&](const Level& level) { return meets(level) ? ", above, below" : ", plane.row[0], plane.row[0]"; };
    std::string text =
        "\nMOTTLE_KERNEL __launch_bounds__(" + str(tile.threads()) + ", 1) " + kind_text(border) +
        "(const Numbers numbers, const Shape shape" + pointers_text(of) + ") {\n" + (shares ? "    MOTTLE_SHARED(Edges, edges);\n" : "") +
        volume_where(of, tile, border) +
        "    // two planes of every level that reads planes beside; p is the older one in the first half of the loop, q in the "
        "second\n" +
        march_variables(of, "Plane") + (shares ? "    Cells above = {}, below = {};\n" : "") +
        "    int at = " + index_text(of.wraps(2), "first - " + reach, "shape.nz") + ";\n    Plane next = load_" + kind_text(border) +
        "(where, at" + state_names(of, "") + ");\n    for (int z = first - " + reach + "; z < end + " + reach + "; z += 2) {\n";
    for (int half : {0, 1}) text += march_text(of, march, border, half);
    return text + "    }\n}\n";
}

}  // namespace

std::string volume_obstacle(const StepPlan& plan, const domain::Grid& grid) {
    if (stream_width(plan.program.f64, plan.least_steps() * plan.reach()) <= 0)
        return "the stages of a step reach further than the columns of a warp";
    if (std::any_of(plan.stages.begin(), plan.stages.end(), [](const StageUse& stage) { return stage.turns; }))
        return "a stencil reaches along two axes at once";
    if (grid.size[0] + kPitchSlack > std::numeric_limits<int>::max() / grid.size[1]) return "a plane has more cells than 32 bits count";
    return plan.pass_obstacle(grid, 3);
}

int volume_registers(const StepPlan& plan, int steps, int rows) {
    const ir::Program& program = plan.program;
    const int words = program.f64 ? 2 : 1, row = stream_columns(program.f64) * words, arrays = static_cast<int>(plan.cells.size());
    // Sums and chains are short-lived, but values from maps and tables are loaded early and occupy registers until they are used.
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
    return row * (plan.kept_rows(2) * rows * steps + arrays * (rows + 1)) + 24 + under_way;
}

VolumeTile volume_tile(const StepPlan& plan, int steps) {
    VolumeTile best{0, 0};
    const int reach = steps * plan.reach();
    for (const int warps : {16, 12, 8}) {
        for (const int rows : {1, 2, 3, 4}) {
            const VolumeTile tile{rows, warps};
            const int registers = std::min(255, kProcessorRegisters / tile.threads() / 8 * 8);
            const int needed = volume_registers(plan, steps, rows), spare = plan.stages.size() > 1 ? registers / 25 : 0;
            if (needed + spare > registers || exchange_bytes(plan, rows, warps) > kSharedBytes) continue;
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
    find_inner(
        shape.strips, [&](int s) { return s * width >= halo && s * width - halo + all <= shape.nx; }, shape.first_strip,
        shape.inner_strips);
    return shape;
}

ModuleText emit_volume(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush, const VolumeTile& tile) {
    const FusedSteps of{.plan = plan, .grid = grid, .steps = steps, .flush = flush};
    const bool shares = exchange_bytes(plan, tile.rows, tile.warps) > 0;
    const std::string title = str(steps) + " steps in one pass: a block marches through the planes";
    ModuleText module{module_head(of.f64(), title, steps, plan.program.uniforms.size()), {}};
    module.text += volume_head(of, tile.rows) + (shares ? exchange_text(of, {.rows = tile.rows, .warps = tile.warps}) : "");
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) module.text += side_ghosts(of, stage, tile.rows);
    for (const bool border : {false, true}) {
        if (border && rows_have_no_border(grid, of.f64())) continue;
        for (ir::Array map : plan.maps) module.text += map_columns(of, map, border);
        module.text += stages_text(of, border, tile.rows) + load_plane(of, border, tile.rows) + store_plane(of, border, tile.rows) +
                       (border ? stage_ghosts_text(of, rows_are_whole(grid, of.f64())) : "") + volume_kernel(of, tile, border);
        module.kernels.push_back({kind_text(border), pass_arguments(plan)});
    }
    return module;
}

}  // namespace mottle::backend::cuda
