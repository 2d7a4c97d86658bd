// mottle/backend/cuda/grid/levels.h: a pass as levels, the stages of its steps one behind another: how far each reaches, what goes from one to the next
#pragma once
#include "mottle/ir/program/program.h"

#include <vector>

namespace mottle::backend::cuda {

/// The arrays whose cells go through registers: states and held ones.
std::vector<ir::Array> cell_arrays(const ir::Program& program);
/// Those of them that stages behind `stage` of a step read, and that it does not make.
std::vector<ir::Array> carried_arrays(const ir::Program& program, const ir::Sweep& step, std::size_t stage);

/// The cells' arrays that a stage reads in rows beside.
std::vector<ir::Array> exchanged_arrays(const ir::Program& program, std::size_t stage);

/// Those whose ghosts a stage is the first to read: the states, then what the stage before it has made.
std::vector<ir::Array> ghosted_arrays(const ir::Program& program, std::size_t stage);

/// Cells by which a stage of the step reaches beyond its own: 1, or 0 for a held one that reads no neighbours.
int stage_reach(const ir::Program& program, std::size_t stage);
/// The same of all stages of a step together: by this the halo of a pass grows with each of its steps.
int step_reach(const ir::Program& program);
/// Steps that a pass makes at least: two, or one of several stages.
int least_steps(const ir::Program& program);
/// Rows of one array that a step keeps in registers while rows (along axis 1; 2: planes) go through its stages, for all arrays together.
int kept_rows(const ir::Program& program, std::size_t axis = 1);

/// A stage of one of the steps of a pass that marches. It reaches 0 or 1 rows, and lies so much further behind the row that comes in.
struct Level {
    int step = 0;
    std::size_t stage = 0;
    int reach = 0;
};
std::vector<Level> levels_of(const ir::Program& program, int steps);

/// Arrays of which a cell is kept at the same time, where the stages of a step are made one after another in place.
int most_alive(const ir::Program& program);
/// Operations of a stage, of that which has most of them.
int most_operations(const ir::Program& program);

}  // namespace mottle::backend::cuda
