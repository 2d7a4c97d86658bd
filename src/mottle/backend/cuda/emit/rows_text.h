// mottle/backend/cuda/emit/rows_text.h: rows of a plane that the warps of a block keep in registers: a step of all of them, in place
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// Registers that a thread needs for the cells of one row: states, and what of the held arrays is wanted at the same time.
int row_registers(const StepPlan& plan, int columns);
/// The same for what the arithmetic of a stage has under way, at most.
int stage_registers(const StepPlan& plan);

// Pieces of the text of kernels whose threads keep some rows in a `plane`, with `above` and `below` what other warps have beside them.

/// The struct Plane and the functions by which warps meet.
std::string rows_head(const FusedSteps& of, const Meeting& meeting);
/// The variables, and the rows from y on as load_KIND reads them.
std::string rows_loaded(const FusedSteps& of, const Meeting& meeting, const std::string& kind);

/// One step: texts of what differs from kernel to kernel.
struct Turn {
    std::string level;            ///< its number: warps meet in the halves of `edges` in turn
    std::string numbers;          ///< its uniforms
    std::string edges = "edges";  ///< what warps share
    std::string flushes = {};     ///< whether it is flush_step; "": never
    bool border = false;          ///< rows and columns beside may lie beyond the grid
};
/// The stages of a step one after another, each of all rows: what it makes takes the place of what nobody reads any more.
std::string rows_advance(const FusedSteps& of, const Meeting& meeting, const Turn& turn);

inline std::string row_cells(int row) { return "plane.row[" + std::to_string(row) + "]"; }

}  // namespace mottle::backend::cuda
