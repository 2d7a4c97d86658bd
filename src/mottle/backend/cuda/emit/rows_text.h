// mottle/backend/cuda/emit/rows_text.h: rows of a plane that the warps of a block keep in registers: a step of all of them, in place
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// Registers that a thread needs for the cells of one row: states, and the held arrays that are alive at the same time.
int row_registers(const StepPlan& plan, int columns);
/// The same for the intermediate values of a stage, at most.
int stage_registers(const StepPlan& plan);

// Pieces of the text of kernels whose threads keep some rows in a `plane`; `above` and `below` are the neighbouring rows, which other warps have.

/// The struct Plane and the functions by which warps exchange rows.
std::string rows_head(const FusedSteps& of, const Meeting& meeting);
/// The variables, and the rows from y on as load_KIND reads them.
std::string rows_loaded(const FusedSteps& of, const Meeting& meeting, const std::string& kind);

/// One step: the texts that differ from kernel to kernel.
struct Turn {
    std::string level;            ///< its number: exchanges use the two halves of `edges` alternately
    std::string numbers;          ///< its uniforms
    std::string edges = "edges";  ///< the shared memory for exchanges
    std::string flushes = {};     ///< the condition under which it is flush_step; "": never
    bool border = false;          ///< neighbouring rows and columns may lie beyond the grid
};
/// The stages of a step one after another, each for all rows. A result replaces an array that no later stage reads.
std::string rows_advance(const FusedSteps& of, const Meeting& meeting, const Turn& turn);

inline std::string row_cells(int row) { return "plane.row[" + std::to_string(row) + "]"; }

}  // namespace mottle::backend::cuda
