// mottle/backend/cuda/emit/plane_text.cpp: what the texts of kernels that make several steps in one pass over a plane have in common
#include "mottle/backend/cuda/emit/plane_text.h"

#include "mottle/core/text.h"

namespace mottle::backend::cuda {
namespace {

constexpr const char* kPlaces =
    "struct Shape { int nx, ny, strips, chunks, chunk_rows, first_strip, inner_strips, first_chunk, inner_chunks; long long pitch; };\n"
    "struct Where { int nx, ny, x, column; long long pitch; };  // x: the first column of this lane; column: where it is read\n";

using core::str;

// A row of a map as the step reads it, ghosts included. `vectors`: also the version for rows at no border, which loads all columns of a lane at once.
std::string map_rows(const FusedSteps& of, ir::Array map, bool vectors) {
    const ir::GhostRule& rule = of.ghosts_of(map);
    const std::string head = "(const Where& where, const Tables& tables, const int y, const real (&u)[kColumns]) {\n    Columns row;\n";
    const std::string name = "__device__ __forceinline__ Columns map" + str(map);
    std::string text;
    if (vectors) {
        text = "\n" + name + "_inner" + head +
               vector_load(of, "row.c", "tables.a" + str(map) + " + clamped(y, where.ny) * where.pitch + where.x") + "    return row;\n}";
    }
    text += "\n" + name + "_border" + head + "    const real* from = tables.a" + str(map) + " + " +
            index_text(wraps_along(rule, 1), "y", "where.ny") + " * where.pitch;\n";
    for (int col = 0; col < of.columns; ++col) {
        const std::string cell = "row.c[" + str(col) + "]", x = "where.x + " + str(col);
        text +=
            "    " + cell + " = from[" + index_text(wraps_along(rule, 0), x, "where.nx") + "];\n" + guards_text(of, map, {x, "y"}, cell);
    }
    return text + "    return row;\n}\n";
}

}  // namespace

std::string plane_head(const FusedSteps& of, const std::string& title, const std::string& places) {
    std::string text = module_head(of.f64(), title, of.steps, of.plan.program.uniforms.size()) + uniform_columns_text(of.plan.program) +
                       (places.empty() ? kPlaces : places) + structs_text(of) +
                       "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n"
                       "__device__ __forceinline__ int wrapped(int i, int n) { i %= n; return i < 0 ? i + n : i; }\n";
    for (const ir::Array map : of.plan.maps) text += map_rows(of, map, places.empty());
    return text;
}

std::string plane_functions(const FusedSteps& of, bool border, const std::string& inner_row) {
    return stages_text(of, border) + load_rows(of, border, inner_row) + store_rows(of, border) + (border ? stage_ghosts_text(of) : "");
}

std::string load_rows(const FusedSteps& of, bool border, const std::string& inner_row) {
    std::string text = "\n__device__ __forceinline__ Cells load_" + kind_text(border) + "(const Where& where, const int y" +
                       state_parameters(of, "const real", "") + ") {\n    Cells row;\n";
    for (int a = 0; a < of.plan.states; ++a) {
        const ir::GhostRule& rule = of.ghosts_of(a);
        if (!border) {
            text += vector_load(of, "row.a" + str(a), "a" + str(a) + " + " + inner_row + " * where.pitch + where.column");
            continue;
        }
        text += "    const real* from" + str(a) + " = a" + str(a) + " + " + index_text(wraps_along(rule, 1), "y", "where.ny") +
                " * where.pitch;\n";
        for (int col = 0; col < of.columns; ++col) {
            text += "    row.a" + str(a) + "[" + str(col) + "] = from" + str(a) + "[" +
                    index_text(wraps_along(rule, 0), "where.x + " + str(col), "where.nx") + "];\n";
        }
    }
    return text + "    return row;\n}\n";
}

std::string store_rows(const FusedSteps& of, bool border) {
    std::string text = "\n__device__ __forceinline__ void store_" + kind_text(border) +
                       "(const Where& where, const int y, const Cells& row" + state_parameters(of, "real", "_next") + ") {\n";
    for (int a = 0; a < of.plan.states; ++a) {
        const std::string from = "row.a" + str(a), to = "a" + str(a) + "_next + y * where.pitch + where.x";
        if (!border) {
            text += vector_store(of, "cells" + str(a), from, to);
            continue;
        }
        text += "    real* to" + str(a) + " = " + to + ";\n";
        for (int col = 0; col < of.columns; ++col) {
            text += "    if (where.x + " + str(col) + " < where.nx) to" + str(a) + "[" + str(col) + "] = " + from + "[" + str(col) + "];\n";
        }
    }
    return text + "}\n";
}

std::string strip_text(const FusedSteps& of, bool no_border) {
    return "strip * " + str(stream_width(of.f64(), of.reach())) + " + (lane - " + str(halo_lanes(of.f64(), of.reach())) + ") * " +
           str(of.columns) + ";\n    const Where where = {shape.nx, shape.ny, x, " + (no_border ? "wrapped(x, shape.nx)" : "x") +
           ", shape.pitch};\n    const Tables tables = " + table_values(of) +
           ";\n    const int first = chunk * shape.chunk_rows, end = first + shape.chunk_rows < shape.ny ? first + shape.chunk_rows : "
           "shape.ny;\n";
}

StreamShape stream_shape(const domain::Grid& grid, bool f64, int reach, int chunk_rows, long long pitch) {
    StreamShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]);
    shape.pitch = pitch;
    const int width = stream_width(f64, reach), halo = halo_lanes(f64, reach) * stream_columns(f64), all = kLanes * stream_columns(f64);
    shape.strips = (shape.nx + width - 1) / width;
    shape.chunk_rows = chunk_rows;
    shape.chunks = (shape.ny + chunk_rows - 1) / chunk_rows;
    find_inner(
        shape.strips, [&](int s) { return s * width >= halo && s * width - halo + all <= shape.nx; }, shape.first_strip,
        shape.inner_strips);
    find_inner(
        shape.chunks, [&](int c) { return c * chunk_rows >= reach && (c + 1) * chunk_rows + reach <= shape.ny; }, shape.first_chunk,
        shape.inner_chunks);
    return shape;
}

bool has_no_border(const StepPlan& plan, const domain::Grid& grid) {
    return plan.maps.empty() && plan.tables.empty() && grid.size[0] % stream_columns(plan.program.f64) == 0 &&
           domain::wraps(grid, domain::kLeft) && domain::wraps(grid, domain::kTop);
}

std::string stream_obstacle(const StepPlan& plan, const domain::Grid& grid) {
    if (grid.size[2] > 1) return "the grid has depth";
    if (stream_width(plan.program.f64, plan.least_steps() * plan.reach()) <= 0)
        return "the stages of a step reach further than the columns of a warp";
    return plan.pass_obstacle(grid, 2);
}

}  // namespace mottle::backend::cuda
