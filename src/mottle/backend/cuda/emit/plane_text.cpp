// mottle/backend/cuda/emit/plane_text.cpp: what the texts of kernels that make several steps in one pass over a plane have in common
#include "mottle/backend/cuda/emit/plane_text.h"

#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

constexpr const char* kPlaces =
    "struct Shape { int nx, ny, strips, chunks, chunk_rows, first_strip, inner_strips, first_chunk, inner_chunks; long long pitch; };\n"
    "struct Where { int nx, ny, x, column; long long pitch; };  // x: the first column of this lane; column: where it is read\n";

using core::str;

}  // namespace

void PlaneText::head(const std::string& title, const std::string& places) {
    text_ = module_head(program_, title, steps_);
    const std::size_t uniforms = std::max<std::size_t>(1, program_.uniforms.size());
    text_ += "constexpr int kColumns = " + std::to_string(uniforms) + ";  // of the table of uniforms\n";
    text_ += places.empty() ? kPlaces : places;
    structs();
    text_ += "__device__ __forceinline__ int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n";
    text_ += "__device__ __forceinline__ int wrapped(int i, int n) { i %= n; return i < 0 ? i + n : i; }\n";
    for (const ir::Array map : maps_) map_rows(map);
}

void PlaneText::functions(bool border) {
    stages(border);
    load_rows(border);
    store_rows(border);
    if (border) stage_ghosts();
}

// A row of a map as the step reads it, ghosts included.
void PlaneText::map_rows(ir::Array map) {
    const ir::GhostRule& rule = program_.ghosts_of(map);
    const std::string head = "(const Where& where, const Tables& tables, const int y, const real (&u)[kColumns]) {\n    Columns row;\n";
    const std::string name = "__device__ __forceinline__ Columns map" + str(map);
    if (vectors_) {
        text_ += "\n" + name + "_inner" + head;
        vector_load("row.c", "tables.a" + str(map) + " + clamped(y, where.ny) * where.pitch + where.x");
        text_ += "    return row;\n}";
    }
    text_ += "\n" + name + "_border" + head;
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

void PlaneText::load_rows(bool border) {
    text_ += std::string("\n__device__ __forceinline__ Cells load_") + (border ? "border" : "inner") + "(const Where& where, const int y" +
             state_parameters("const real", "") + ") {\n    Cells row;\n";
    for (int a = 0; a < states_; ++a) {
        const ir::GhostRule& rule = program_.ghosts_of(a);
        if (!border) {
            vector_load("row.a" + str(a), "a" + str(a) + " + " + inner_row_ + " * where.pitch + where.column");
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

void PlaneText::store_rows(bool border) {
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

StreamShape stream_shape(const domain::Grid& grid, bool f64, int reach, int chunk_rows, long long pitch) {
    StreamShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]);
    shape.pitch = pitch;
    const int width = stream_width(f64, reach), halo = halo_lanes(f64, reach) * stream_columns(f64), all = kLanes * stream_columns(f64);
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
        shape.chunks, [&](int c) { return c * chunk_rows >= reach && (c + 1) * chunk_rows + reach <= shape.ny; }, shape.first_chunk,
        shape.inner_chunks);
    return shape;
}

bool has_no_border(const ir::Program& program, const domain::Grid& grid) {
    bool plain = read_maps(program).empty();
    for (const ir::Stage& stage : program.step.stages)
        plain =
            plain && std::none_of(stage.code.begin(), stage.code.end(), [](const ir::Instruction& in) { return in.op == ir::Op::axis; });
    return plain && grid.size[0] % stream_columns(program.f64) == 0 && domain::wraps(grid, domain::kLeft) &&
           domain::wraps(grid, domain::kTop);
}

std::string stream_obstacle(const ir::Program& program, const domain::Grid& grid) {
    if (grid.size[2] > 1) return "the grid has depth";
    if (stream_width(program.f64, least_steps(program) * step_reach(program)) <= 0)
        return "the stages of a step reach further than the columns of a warp";
    return pass_obstacle(program, grid, 2);
}

}  // namespace mottle::backend::cuda
