// mottle/backend/cuda/emit/stream_text.cpp: what the texts of kernels that make several steps in one pass have in common
#include "mottle/backend/cuda/emit/stream_text.h"

#include "mottle/backend/cuda/emit/stream_step.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <numeric>

namespace mottle::backend::cuda {

namespace {
using core::str;

const char* member_name(int col) {
    constexpr const char* kMembers[] = {"x", "y", "z", "w"};
    return kMembers[col];
}

std::string column_ghosts(const FusedSteps& of, const std::string& name, const std::vector<ir::Array>& arrays, bool whole) {
    std::string text = "\n__device__ __forceinline__ void " + name + "(const Where& where, const real (&u)[kColumns], Cells& row) {\n";
    for (const ir::Array a : arrays) {
        const ir::GhostRule& rule = of.ghosts_of(a);
        if (wraps_along(rule, 0)) continue;
        const std::string cells = "row.a" + str(a), last = str(of.columns - 1), id = str(a);
        text += "    const real first" + id + " = __shfl_down_sync(0xffffffffu, " + cells + "[0], 1);\n";
        text += "    const real last" + id + " = __shfl_up_sync(0xffffffffu, " + cells + "[" + last + "], 1);\n";
        text += "    if (where.x == -" + str(of.columns) + ") " + cells + "[" + last +
                "] = " + ghost_text(rule[domain::kLeft], "first" + id, of.f64()) + ";\n";
        for (int col = whole ? 0 : of.columns - 1; col >= 0; --col) {
            const std::string inside = col == 0 ? "last" + id : cells + "[" + str(col - 1) + "]";
            text += "    if (where.x + " + str(col) + " == where.nx) " + cells + "[" + str(col) +
                    "] = " + ghost_text(rule[domain::kRight], inside, of.f64()) + ";\n";
        }
    }
    return text + "}\n";
}

// The exchange of rows between warps: a warp writes its first and last row to shared memory, and reads the rows next to them. The accesses are as wide as
// the columns of a lane allow.
std::string meet_text(const FusedSteps& of, const Meeting& meeting, std::size_t stage, const std::string& type, int width) {
    const std::vector<ir::Array> arrays = of.plan.exchanged(stage);
    const int edges = std::min(2, meeting.rows), parts = of.columns / width;
    const std::string warps = str(meeting.warps);
    auto column = [&](int col) { return width == 1 ? std::string("cells") : std::string("cells.") + member_name(col % width); };
    auto place = [&](std::size_t a, const std::string& edge, int part) {
        return ".a" + std::to_string(a) + "[" + edge + "]" + (parts > 1 ? "[" + str(part) + "]" : "") + "[lane]";
    };
    std::string text = "__device__ __forceinline__ void " + meet_name(of, stage) + "(Edge (&edges)[" + warps +
                       "], const int warp, const int lane, const Plane& c, Cells& above, Cells& below) {\n    " + type + " cells;\n";
    const int last = meeting.last_rows > 0 ? meeting.last_rows : meeting.rows;
    if (last < meeting.rows) text += "    const bool ends = warp + 1 == " + warps + ";\n";
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        for (int edge = 0; edge < edges; ++edge) {
            for (int part = 0; part < parts; ++part) {
                for (int col = part * width; col < (part + 1) * width; ++col) {
                    auto cell = [&](int row) { return "c.row[" + str(row) + "].a" + str(arrays[a]) + "[" + str(col) + "]"; };
                    const std::string given = cell(edge == 0 ? 0 : meeting.rows - 1);
                    text += (col == part * width ? "    " : " ") + column(col) + " = " +
                            (edge > 0 && last < meeting.rows ? "ends ? " + cell(last - 1) + " : " + given : given) + ";";
                }
                text += " give(edges[warp]" + place(a, str(edge), part) + ", cells);\n";
            }
        }
    }
    text += "    __syncthreads();\n    const int up = warp > 0 ? warp - 1 : " + str(meeting.ring ? meeting.warps - 1 : 0) +
            ", down = warp + 1 < " + warps + " ? warp + 1 : " + (meeting.ring ? "0" : "warp") + ";\n";
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        for (const bool up : {true, false}) {
            for (int part = 0; part < parts; ++part) {
                text += "    cells = take(edges[" + std::string(up ? "up" : "down") + "]" + place(a, str(up ? edges - 1 : 0), part) + ");";
                for (int col = part * width; col < (part + 1) * width; ++col)
                    text += std::string(up ? " above" : " below") + ".a" + str(arrays[a]) + "[" + str(col) + "] = " + column(col) + ";";
                text += "\n";
            }
        }
    }
    return text + "}\n";
}
}  // namespace

int stream_columns(bool f64) { return f64 ? 2 : 4; }

int halo_lanes(bool f64, int reach) { return (reach + stream_columns(f64) - 1) / stream_columns(f64); }

int stream_width(bool f64, int reach) { return (kLanes - 2 * halo_lanes(f64, reach)) * stream_columns(f64); }

void find_inner(int count, const std::function<bool(int)>& is_inner, int& first, int& inner) {
    first = inner = 0;
    while (first < count && !is_inner(first)) ++first;
    while (first + inner < count && is_inner(first + inner)) ++inner;
}

int exchange_bytes(const StepPlan& plan, int rows, int warps, int columns) {
    const int bytes = (columns > 0 ? columns : stream_columns(plan.program.f64)) * plan.cell_bytes();
    return 2 * static_cast<int>(plan.most_exchanged()) * warps * std::min(2, rows) * kLanes * bytes;
}

std::string index_text(bool wraps, const std::string& i, const std::string& n) {
    return std::string(wraps ? "wrapped(" : "clamped(") + i + ", " + n + ")";
}

std::string ghost_text(const ir::Ghost& ghost, const std::string& inside, bool f64) {
    if (ghost.alpha < 0) return inside;
    return fma_text("u[" + str(ghost.beta) + "]", inside, "u[" + str(ghost.alpha) + "]", f64);
}

std::string uniform_columns_text(const ir::Program& program) {
    return "constexpr int kColumns = " + std::to_string(std::max<std::size_t>(1, program.uniforms.size())) +
           ";  // of the table of uniforms\n";
}

std::string structs_text(const FusedSteps& of) {
    std::string text = "struct Columns { real c[" + str(of.columns) + "]; };\nstruct Cells { real ";
    for (const ir::Array a : of.plan.cells) text += (a ? ", a" : "a") + str(a) + "[" + str(of.columns) + "]";
    text += "; };\nstruct Tables { const real *none";
    for (ir::Array map : of.plan.maps) text += ", *a" + str(map);
    for (int axis : of.plan.tables) text += ", *axis_" + std::string(kAxisNames[axis]);
    return text + "; };\n";
}

std::string vector_type(bool f64) { return f64 ? "double2" : "float4"; }

std::string vector_load(const FusedSteps& of, const std::string& to, const std::string& from) {
    const std::string type = vector_type(of.f64());
    std::string text = "    { const " + type + " cells = *reinterpret_cast<const " + type + "*>(" + from + ");";
    for (int col = 0; col < of.columns; ++col) text += " " + to + "[" + str(col) + "] = cells." + member_name(col) + ";";
    return text + " }\n";
}

std::string vector_store(const FusedSteps& of, const std::string& name, const std::string& from, const std::string& to) {
    const std::string type = vector_type(of.f64());
    std::string text = "    " + type + " " + name + ";";
    for (int col = 0; col < of.columns; ++col) text += " " + name + "." + member_name(col) + " = " + from + "[" + str(col) + "];";
    return text + "\n    *reinterpret_cast<" + type + "*>(" + to + ") = " + name + ";\n";
}

std::string guards_text(const FusedSteps& of, ir::Array map, const std::vector<std::string>& place, const std::string& cell) {
    constexpr const char* kLengths[] = {"where.nx", "where.ny", "where.nz"};
    std::string text;
    for (std::size_t d = 0; d < place.size(); ++d) {
        if (place[d].empty()) continue;
        for (const bool far : {false, true}) {
            const ir::Ghost& ghost = of.ghosts_of(map)[2 * d + (far ? 1 : 0)];
            const std::string beyond = place[d] + (far ? std::string(" >= ") + kLengths[d] : " < 0");
            if (ghost.alpha >= 0) text += "    if (" + beyond + ") " + cell + " = " + ghost_text(ghost, cell, of.f64()) + ";\n";
        }
    }
    return text;
}

std::string stages_text(const FusedSteps& of, bool border, int rows) {
    std::string text;
    for (std::size_t stage = 0; stage < of.plan.stages.size(); ++stage) {
        text += "\n" + StepEmitter(of, stage, false, border, rows).emit(stage_name(of, false, stage, border));
        if (of.flush && of.plan.flushes[stage])
            text += "\n" + StepEmitter(of, stage, true, border, rows).emit(stage_name(of, true, stage, border));
    }
    return text;
}

std::string stage_ghosts_text(const FusedSteps& of, bool whole) {
    std::string text;
    for (std::size_t stage = 0; stage < of.plan.stages.size(); ++stage)
        text += column_ghosts(of, "ghosts" + std::to_string(stage), of.plan.ghosted(stage), whole);
    return text;
}

std::string stage_name(const FusedSteps& of, bool flush, std::size_t stage, bool border) {
    return (flush && of.plan.flushes[stage] ? "flush" : "step") + std::to_string(stage) + "_" + kind_text(border);
}

std::string meet_name(const FusedSteps& of, std::size_t stage) {
    return of.plan.stages.size() == 1 ? "meet" : "meet" + std::to_string(stage);
}

std::string exchange_text(const FusedSteps& of, const Meeting& meeting) {
    const int edges = std::min(2, meeting.rows), width = std::gcd(of.columns, stream_columns(of.f64())), parts = of.columns / width;
    const std::string type = width == 1 ? "real" : (of.f64() ? "double" : "float") + str(width), warps = str(meeting.warps);
    std::string text =
        "\n#ifndef MOTTLE_EMULATED\n#define MOTTLE_SHARED(type, name) __shared__ type name\n__device__ __forceinline__ void give(" + type +
        "& to, const " + type + "& cells) { to = cells; }\n__device__ __forceinline__ " + type + " take(const " + type +
        "& from) { return from; }\n#endif\nstruct Edge { " + type + " ";
    for (std::size_t a = 0; a < of.plan.most_exchanged(); ++a) {
        text += (a ? ", a" : "a") + std::to_string(a) + "[" + str(edges) + "]" + (parts > 1 ? "[" + str(parts) + "]" : "") + "[" +
                str(kLanes) + "]";
    }
    text += "; };\nstruct Edges { Edge of[2][" + warps + "]; };\n";
    for (std::size_t stage = 0; stage < of.plan.stages.size(); ++stage) {
        if (!of.plan.exchanged(stage).empty()) text += meet_text(of, meeting, stage, type, width);
    }
    return text;
}

std::string march_variables(const FusedSteps& of, const std::string& type) {
    std::string text;
    const std::vector<Level> levels = of.plan.levels(of.steps);
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const std::string level = std::to_string(l);
        if (levels[l].reach > 0) text += "    " + type + " p" + level + " = {}, q" + level + " = {};\n";
    }
    return text;
}

std::string next_text(const FusedSteps& of, const March& march, bool border, const std::string& moves, const std::string& at) {
    const std::string in = "            ";
    return in + march.type + " " + march.cells + " = next, made;\n" + moves + in + "next = load_" + kind_text(border) + "(where, " + at +
           state_names(of, "") + ");\n";
}

std::string march_text(const FusedSteps& of, const March& march, bool border, int half) {
    const std::string p = half == 0 ? "p" : "q", q = half == 0 ? "q" : "p", cells = march.cells, in = "            ";
    const auto place = [&](int beyond) { return march.along + (beyond < 0 ? " - " + str(-beyond) : " + " + str(beyond)); };
    std::string text = "        {\n" + march.loads[half];
    int made = half;
    const std::vector<Level> levels = of.plan.levels(of.steps);
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const Level& level = levels[l];
        const std::string id = std::to_string(l);
        const std::string old = level.reach > 0 ? p + id : cells, current = level.reach > 0 ? q + id : cells;
        made -= level.reach;
        text += march.prepare(level, current) + in + "made = " + stage_name(of, of.flushes(level.step), level.stage, border) +
                "(where, tables, " + place(made) + ", " + numbers_of(level) + ", " + old + ", " + current + ", " + cells +
                march.beside(level) + ");\n";
        if (level.reach > 0) text += in + old + " = " + cells + ";\n";
        text += in + cells + " = made;\n";
    }
    return text + in + "if (" + march.keeps + place(made) + " >= first && " + place(made) + " < end) store_" + kind_text(border) +
           "(where, " + place(made) + ", " + cells + state_names(of, "_next") + ");\n        }\n";
}

std::string state_parameters(const FusedSteps& of, const char* type, const char* suffix) {
    std::string text;
    for (int a = 0; a < of.plan.states; ++a) text += std::string(", ") + type + "* __restrict__ a" + str(a) + suffix;
    return text;
}

std::string state_names(const FusedSteps& of, const char* suffix) {
    std::string text;
    for (int a = 0; a < of.plan.states; ++a) text += ", a" + str(a) + suffix;
    return text;
}

std::vector<Argument> pass_arguments(const StepPlan& plan) {
    using Kind = Argument::Kind;
    std::vector<Argument> list = {{Kind::numbers, 0}, {Kind::shape, 0}};
    for (int a = 0; a < plan.states; ++a) list.push_back({Kind::load, a});
    for (int a = 0; a < plan.states; ++a) list.push_back({Kind::store, a});
    for (ir::Array map : plan.maps) list.push_back({Kind::load, map});
    for (int axis : plan.tables) list.push_back({Kind::axis, axis});
    return list;
}

std::string axis_parameters(const StepPlan& plan) {
    std::string text;
    for (int axis : plan.tables) text += std::string(", const real* __restrict__ axis_") + kAxisNames[axis];
    return text;
}

std::string pointers_text(const FusedSteps& of) {
    std::string text = state_parameters(of, "const real", "") + state_parameters(of, "real", "_next");
    for (ir::Array map : of.plan.maps) text += ", const real* __restrict__ a" + str(map);
    return text + axis_parameters(of.plan);
}

std::string table_values(const FusedSteps& of) {
    std::string text = "{nullptr";
    for (ir::Array map : of.plan.maps) text += ", a" + str(map);
    for (int axis : of.plan.tables) text += std::string(", axis_") + kAxisNames[axis];
    return text + "}";
}

}  // namespace mottle::backend::cuda
