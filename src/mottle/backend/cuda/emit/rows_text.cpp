// mottle/backend/cuda/emit/rows_text.cpp: rows of a plane that the warps of a block keep in registers: a step of all of them, in place
#include "mottle/backend/cuda/emit/rows_text.h"

#include "mottle/backend/cuda/grid/levels.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {

using core::str;

RowsText::RowsText(const ir::Program& program, const domain::Grid& grid, int steps, bool flush, int columns, const Meeting& meeting)
    : PlaneText(program, grid, steps, flush), rows_(meeting.rows), meeting_(meeting) {
    columns_ = columns;
    if (meeting_.last_rows == 0) meeting_.last_rows = rows_;
}

void RowsText::rows_head() {
    text_ += "struct Plane { Cells row[" + str(rows_) + "]; };\n";
    if (shares()) exchange(meeting_);
}

void RowsText::rows_loaded(const std::string& kind) {
    text_ += "    Plane plane;\n    Cells above = {}, below = {}, last, made;\n";
    for (int row = 0; row < rows_; ++row)
        text_ += "    " + cells(row) + " = load_" + kind + "(where, y + " + str(row) + state_names("") + ");\n";
}

void RowsText::rows_advance(const Turn& turn) {
    int met = 0;
    for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage) {
        for (int row = 0; turn.border && !domain::wraps(grid_, domain::kLeft) && row < rows_; ++row)
            text_ += "    ghosts" + std::to_string(stage) + "(where, " + turn.numbers + ", " + cells(row) + ");\n";
        if (!exchanged_arrays(program_, stage).empty())
            text_ += "    " + meet_name(stage) + "(" + turn.edges + ".of[" + half(turn, met++) + "], warp, lane, plane, above, below);\n";
        const bool differs = !turn.flushes.empty() && flushes_in(stage), asks = differs && turn.flushes != "true";
        if (asks) text_ += "    if (" + turn.flushes + ") {\n";
        if (differs) rows_by(stage_name(true, stage, turn.border), turn);
        if (asks) text_ += "    } else {\n";
        if (!differs || asks) rows_by(stage_name(false, stage, turn.border), turn);
        if (asks) text_ += "    }\n";
    }
}

int RowsText::exchanging_stages() const {
    int count = 0;
    for (std::size_t stage = 0; stage < program_.step.stages.size(); ++stage) count += exchanged_arrays(program_, stage).empty() ? 0 : 1;
    return count;
}

// Two halves of what warps share, in turn from meeting to meeting, whatever the level.
std::string RowsText::half(const Turn& turn, int met) const {
    if (exchanging_stages() % 2 == 0) return str(met % 2);
    return met == 0 ? turn.level + " & 1" : "(" + turn.level + " + " + str(met) + ") & 1";
}

// All rows by one stage, each in its place: the one before it is kept as it was.
void RowsText::rows_by(const std::string& stage, const Turn& turn) {
    text_ += "    last = above;\n";
    for (int row = 0; row < rows_; ++row) {
        std::string next = row + 1 < rows_ ? cells(row + 1) : "below";
        if (row + 1 == meeting_.last_rows && row + 1 < rows_) next = "warp + 1 == " + str(meeting_.warps) + " ? below : " + next;
        text_ += "    made = " + stage + "(where, tables, y + " + str(row) + ", " + turn.numbers + ", last, " + cells(row) + ", " + next +
                 ");\n";
        if (row + 1 < rows_) text_ += "    last = " + cells(row) + ";\n";
        text_ += "    " + cells(row) + " = made;\n";
    }
}

int row_registers(const ir::Program& program, int columns) { return most_alive(program) * columns * (program.f64 ? 2 : 1); }

int stage_registers(const ir::Program& program) { return (program.f64 ? 2 : 1) * std::min(most_operations(program), 40); }

}  // namespace mottle::backend::cuda
