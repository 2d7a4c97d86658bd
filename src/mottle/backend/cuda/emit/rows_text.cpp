// mottle/backend/cuda/emit/rows_text.cpp: rows of a plane that the warps of a block keep in registers: a step of all of them, in place
#include "mottle/backend/cuda/emit/rows_text.h"

#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::str;

// The shared memory of the warps has two halves, which their exchanges use alternately, whatever the level.
std::string half_text(const FusedSteps& of, const Turn& turn, int met) {
    if (of.plan.exchanging_stages() % 2 == 0) return str(met % 2);
    return met == 0 ? turn.level + " & 1" : "(" + turn.level + " + " + str(met) + ") & 1";
}

// Computes one stage for all rows in place; a copy of the previous row is kept as it was before.
std::string rows_by(const std::string& stage, const Meeting& meeting, const Turn& turn) {
    std::string text = "    last = above;\n";
    for (int row = 0; row < meeting.rows; ++row) {
        std::string next = row + 1 < meeting.rows ? row_cells(row + 1) : "below";
        if (row + 1 == meeting.last_rows && row + 1 < meeting.rows) next = "warp + 1 == " + str(meeting.warps) + " ? below : " + next;
        text += "    made = " + stage + "(where, tables, y + " + str(row) + ", " + turn.numbers + ", last, " + row_cells(row) + ", " +
                next + ");\n";
        if (row + 1 < meeting.rows) text += "    last = " + row_cells(row) + ";\n";
        text += "    " + row_cells(row) + " = made;\n";
    }
    return text;
}

}  // namespace

std::string rows_head(const FusedSteps& of, const Meeting& meeting) {
    return "struct Plane { Cells row[" + str(meeting.rows) + "]; };\n" +
           (of.plan.exchanging_stages() > 0 ? exchange_text(of, meeting) : "");
}

std::string rows_loaded(const FusedSteps& of, const Meeting& meeting, const std::string& kind) {
    std::string text = "    Plane plane;\n    Cells above = {}, below = {}, last, made;\n";
    for (int row = 0; row < meeting.rows; ++row)
        text += "    " + row_cells(row) + " = load_" + kind + "(where, y + " + str(row) + state_names(of, "") + ");\n";
    return text;
}

std::string rows_advance(const FusedSteps& of, const Meeting& meeting, const Turn& turn) {
    std::string text;
    int met = 0;
    for (std::size_t stage = 0; stage < of.plan.stages.size(); ++stage) {
        for (int row = 0; turn.border && !of.wraps(0) && row < meeting.rows; ++row)
            text += "    ghosts" + std::to_string(stage) + "(where, " + turn.numbers + ", " + row_cells(row) + ");\n";
        if (!of.plan.exchanged(stage).empty())
            text += "    " + meet_name(of, stage) + "(" + turn.edges + ".of[" + half_text(of, turn, met++) +
                    "], warp, lane, plane, above, below);\n";
        const bool differs = !turn.flushes.empty() && of.plan.flushes[stage], asks = differs && turn.flushes != "true";
        if (asks) text += "    if (" + turn.flushes + ") {\n";
        if (differs) text += rows_by(stage_name(of, true, stage, turn.border), meeting, turn);
        if (asks) text += "    } else {\n";
        if (!differs || asks) text += rows_by(stage_name(of, false, stage, turn.border), meeting, turn);
        if (asks) text += "    }\n";
    }
    return text;
}

int row_registers(const StepPlan& plan, int columns) { return plan.most_alive() * columns * (plan.program.f64 ? 2 : 1); }

int stage_registers(const StepPlan& plan) { return (plan.program.f64 ? 2 : 1) * std::min(plan.most_operations(), 40); }

}  // namespace mottle::backend::cuda
