// mottle/backend/cuda/emit/stream_text.cpp: what the texts of kernels that make several steps in one pass have in common
#include "mottle/backend/cuda/emit/stream_text.h"

#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/backend/cuda/emit/stream_step.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace mottle::backend::cuda {

using ir::Op;

namespace {
using core::str;

/// Of the arrays that one stage reads in rows beside, the most.
std::size_t most_exchanged(const ir::Program& program) {
    std::size_t most = 0;
    for (std::size_t stage = 0; stage < program.step.stages.size(); ++stage) most = std::max(most, exchanged_arrays(program, stage).size());
    return most;
}
}  // namespace

int stream_columns(bool f64) { return f64 ? 2 : 4; }

int halo_lanes(bool f64, int reach) { return (reach + stream_columns(f64) - 1) / stream_columns(f64); }

int stream_width(bool f64, int reach) { return (kLanes - 2 * halo_lanes(f64, reach)) * stream_columns(f64); }

std::set<ir::Array> read_maps(const ir::Program& program) {
    std::set<ir::Array> maps;
    for (const auto& stage : program.step.stages) {
        for (const auto& in : stage.code) {
            if (in.op == Op::load && program.arrays[core::at(in.index)].kind == ir::ArrayInfo::Kind::input) maps.insert(in.index);
        }
    }
    return maps;
}

bool wraps_along(const ir::GhostRule& rule, int direction) { return rule[core::at(2 * direction)].rule == domain::Rule::periodic; }

std::string ghost_text(const ir::Ghost& ghost, const std::string& inside, bool f64) {
    if (ghost.alpha < 0) return inside;
    return fma_text("u[" + str(ghost.beta) + "]", inside, "u[" + str(ghost.alpha) + "]", f64);
}

std::string pass_obstacle(const ir::Program& program, const domain::Grid& grid, int axes) {
    for (const auto& stage : program.step.stages) {
        for (const auto& in : stage.code) {
            if (in.op != Op::load) continue;
            if (std::any_of(in.offset.begin(), in.offset.end(), [](std::int8_t offset) { return std::abs(offset) > 1; }))
                return "a stencil reaches further than one cell";
        }
    }
    // a cell beyond a border is another cell of the grid to what wraps, and made from the one before it to what does not
    for (int d = 0; d < axes; ++d) {
        const bool wraps = grid.sides[core::at(2 * d)].rule == domain::Rule::periodic;
        for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
            if (wraps_along(program.ghosts_of(a), d) != wraps) return "some fields wrap along an axis along which others do not";
        }
    }
    return "";
}

int exchange_bytes(const ir::Program& program, int rows, int warps, int columns) {
    const int bytes = (columns > 0 ? columns : stream_columns(program.f64)) * (program.f64 ? 8 : 4);
    return 2 * static_cast<int>(most_exchanged(program)) * warps * std::min(2, rows) * kLanes * bytes;
}

StreamText::StreamText(const ir::Program& program, const domain::Grid& grid, int steps, bool flush)
    : program_(program),
      grid_(grid),
      steps_(steps),
      flush_(flush),
      columns_(stream_columns(program.f64)),
      states_(program.state_count()),
      maps_(read_maps(program)) {
    for (const auto& stage : program.step.stages) {
        for (const auto& in : stage.code) {
            if (in.op == Op::axis) axes_.insert(in.index);
        }
    }
}

const char* StreamText::member(int col) {
    constexpr const char* kMembers[] = {"x", "y", "z", "w"};
    return kMembers[col];
}

void StreamText::structs() {
    text_ += "struct Columns { real c[" + str(columns_) + "]; };\n";
    text_ += "struct Cells { real ";
    for (const ir::Array a : cell_arrays(program_)) text_ += (a ? ", a" : "a") + str(a) + "[" + str(columns_) + "]";
    text_ += "; };\nstruct Tables { const real *none";
    for (ir::Array map : maps_) text_ += ", *a" + str(map);
    for (int axis : axes_) text_ += ", *axis_" + std::string(kAxisNames[axis]);
    text_ += "; };\n";
}

std::string StreamText::index_text(const ir::GhostRule& rule, int d, const std::string& i, const std::string& n) const {
    return std::string(wraps_along(rule, d) ? "wrapped(" : "clamped(") + i + ", " + n + ")";
}

void StreamText::vector_load(const std::string& to, const std::string& from) {
    text_ += "    { const " + vector_type() + " cells = *reinterpret_cast<const " + vector_type() + "*>(" + from + ");";
    for (int col = 0; col < columns_; ++col) text_ += " " + to + "[" + str(col) + "] = cells." + member(col) + ";";
    text_ += " }\n";
}

void StreamText::vector_store(const std::string& name, const std::string& from, const std::string& to) {
    text_ += "    " + vector_type() + " " + name + ";";
    for (int col = 0; col < columns_; ++col) text_ += " " + name + "." + member(col) + " = " + from + "[" + str(col) + "];";
    text_ += "\n    *reinterpret_cast<" + vector_type() + "*>(" + to + ") = " + name + ";\n";
}

void StreamText::guard(const std::string& beyond, const ir::Ghost& ghost, const std::string& cell) {
    if (ghost.alpha >= 0) text_ += "    if (" + beyond + ") " + cell + " = " + ghost_text(ghost, cell, program_.f64) + ";\n";
}

void StreamText::stages(bool border, int rows) {
    auto function = [&](const ir::Sweep& step, bool flush, std::size_t stage) {
        StepEmitter emitter(program_, grid_, step, stage, border, rows);
        text_ += "\n" + emitter.over_lanes(columns_, ring_).emit(stage_name(flush, stage, border));
    };
    for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage) {
        function(program_.step, false, stage);
        if (flush_ && flushes_in(stage)) function(*program_.flush_step, true, stage);
    }
}

void StreamText::stage_ghosts(bool whole) {
    for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage)
        column_ghosts("ghosts" + std::to_string(stage), ghosted_arrays(program_, stage), whole);
}

std::string StreamText::stage_name(bool flush, std::size_t stage, bool border) const {
    return (flush && flushes_in(stage) ? "flush" : "step") + std::to_string(stage) + "_" + kind(border);
}

bool StreamText::flushes_in(std::size_t stage) const {
    if (!program_.flush_step) return false;
    const ir::Stage &plain = program_.step.stages[stage], &flushed = program_.flush_step->stages[stage];
    return plain.code != flushed.code || plain.stores != flushed.stores;
}

void StreamText::column_ghosts(const std::string& name, const std::vector<ir::Array>& arrays, bool whole) {
    text_ += "\n__device__ __forceinline__ void " + name + "(const Where& where, const real (&u)[kColumns], Cells& row) {\n";
    for (const ir::Array a : arrays) {
        const ir::GhostRule& rule = program_.ghosts_of(a);
        if (wraps_along(rule, 0)) continue;
        const std::string cells = "row.a" + str(a), last = str(columns_ - 1), id = str(a);
        text_ += "    const real first" + id + " = __shfl_down_sync(0xffffffffu, " + cells + "[0], 1);\n";
        text_ += "    const real last" + id + " = __shfl_up_sync(0xffffffffu, " + cells + "[" + last + "], 1);\n";
        text_ += "    if (where.x == -" + str(columns_) + ") " + cells + "[" + last +
                 "] = " + ghost_text(rule[domain::kLeft], "first" + id, program_.f64) + ";\n";
        for (int col = whole ? 0 : columns_ - 1; col >= 0; --col) {
            const std::string inside = col == 0 ? "last" + id : cells + "[" + str(col - 1) + "]";
            text_ += "    if (where.x + " + str(col) + " == where.nx) " + cells + "[" + str(col) +
                     "] = " + ghost_text(rule[domain::kRight], inside, program_.f64) + ";\n";
        }
    }
    text_ += "}\n";
}

std::string StreamText::meet_name(std::size_t stage) const {
    return program_.step.stages.size() == 1 ? "meet" : "meet" + std::to_string(stage);
}

void StreamText::exchange(const Meeting& meeting) {
    const int edges = std::min(2, meeting.rows), width = std::gcd(columns_, stream_columns(program_.f64)), parts = columns_ / width;
    const std::string type = width == 1 ? "real" : (program_.f64 ? "double" : "float") + str(width), warps = str(meeting.warps);
    text_ += "\n#ifndef MOTTLE_EMULATED\n#define MOTTLE_SHARED(type, name) __shared__ type name\n__device__ __forceinline__ void give(" +
             type + "& to, const " + type + "& cells) { to = cells; }\n__device__ __forceinline__ " + type + " take(const " + type +
             "& from) { return from; }\n#endif\nstruct Edge { " + type + " ";
    for (std::size_t a = 0; a < most_exchanged(program_); ++a) {
        text_ += (a ? ", a" : "a") + std::to_string(a) + "[" + str(edges) + "]" + (parts > 1 ? "[" + str(parts) + "]" : "") + "[" +
                 str(kLanes) + "]";
    }
    text_ += "; };\nstruct Edges { Edge of[2][" + warps + "]; };\n";
    for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage) {
        if (!exchanged_arrays(program_, stage).empty()) meet(meeting, stage, type, width);
    }
}

// Rows of two warps meet: a warp gives its first and last row, and takes the rows next to them. Words are as wide as the columns of a lane allow.
void StreamText::meet(const Meeting& meeting, std::size_t stage, const std::string& type, int width) {
    const std::vector<ir::Array> arrays = exchanged_arrays(program_, stage);
    const int edges = std::min(2, meeting.rows), parts = columns_ / width;
    const std::string warps = str(meeting.warps);
    auto column = [&](int col) { return width == 1 ? std::string("cells") : std::string("cells.") + member(col % width); };
    auto place = [&](std::size_t a, const std::string& edge, int part) {
        return ".a" + std::to_string(a) + "[" + edge + "]" + (parts > 1 ? "[" + str(part) + "]" : "") + "[lane]";
    };
    text_ += "__device__ __forceinline__ void " + meet_name(stage) + "(Edge (&edges)[" + warps +
             "], const int warp, const int lane, const Plane& c, Cells& above, Cells& below) {\n    " + type + " cells;\n";
    const int last = meeting.last_rows > 0 ? meeting.last_rows : meeting.rows;
    if (last < meeting.rows) text_ += "    const bool ends = warp + 1 == " + warps + ";\n";
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        for (int edge = 0; edge < edges; ++edge) {
            for (int part = 0; part < parts; ++part) {
                for (int col = part * width; col < (part + 1) * width; ++col) {
                    auto cell = [&](int row) { return "c.row[" + str(row) + "].a" + str(arrays[a]) + "[" + str(col) + "]"; };
                    const std::string given = cell(edge == 0 ? 0 : meeting.rows - 1);
                    text_ += (col == part * width ? "    " : " ") + column(col) + " = " +
                             (edge > 0 && last < meeting.rows ? "ends ? " + cell(last - 1) + " : " + given : given) + ";";
                }
                text_ += " give(edges[warp]" + place(a, str(edge), part) + ", cells);\n";
            }
        }
    }
    text_ += "    __syncthreads();\n    const int up = warp > 0 ? warp - 1 : " + str(meeting.ring ? meeting.warps - 1 : 0) +
             ", down = warp + 1 < " + warps + " ? warp + 1 : " + (meeting.ring ? "0" : "warp") + ";\n";
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        for (const bool up : {true, false}) {
            for (int part = 0; part < parts; ++part) {
                text_ += "    cells = take(edges[" + std::string(up ? "up" : "down") + "]" + place(a, str(up ? edges - 1 : 0), part) + ");";
                for (int col = part * width; col < (part + 1) * width; ++col)
                    text_ += std::string(up ? " above" : " below") + ".a" + str(arrays[a]) + "[" + str(col) + "] = " + column(col) + ";";
                text_ += "\n";
            }
        }
    }
    text_ += "}\n";
}

std::string StreamText::state_parameters(const char* type, const char* suffix) const {
    std::string text;
    for (int a = 0; a < states_; ++a) text += std::string(", ") + type + "* __restrict__ a" + str(a) + suffix;
    return text;
}

std::string StreamText::state_names(const char* suffix) const {
    std::string text;
    for (int a = 0; a < states_; ++a) text += ", a" + str(a) + suffix;
    return text;
}

std::vector<Argument> StreamText::arguments() const {
    using Kind = Argument::Kind;
    std::vector<Argument> list = {{Kind::numbers, 0}, {Kind::shape, 0}};
    for (int a = 0; a < states_; ++a) list.push_back({Kind::load, a});
    for (int a = 0; a < states_; ++a) list.push_back({Kind::store, a});
    for (ir::Array map : maps_) list.push_back({Kind::load, map});
    for (int axis : axes_) list.push_back({Kind::axis, axis});
    return list;
}

std::string StreamText::pointers() const {
    std::string text = state_parameters("const real", "") + state_parameters("real", "_next");
    for (ir::Array map : maps_) text += ", const real* __restrict__ a" + str(map);
    for (int axis : axes_) text += std::string(", const real* __restrict__ axis_") + kAxisNames[axis];
    return text;
}

std::string StreamText::table_values() const {
    std::string text = "{nullptr";
    for (ir::Array map : maps_) text += ", a" + str(map);
    for (int axis : axes_) text += std::string(", axis_") + kAxisNames[axis];
    return text + "}";
}

}  // namespace mottle::backend::cuda
