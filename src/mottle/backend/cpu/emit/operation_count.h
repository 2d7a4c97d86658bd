// mottle/backend/cpu/emit/operation_count.h: the number of operations of a step
#pragma once
#include "mottle/ir/program/program.h"

namespace mottle::backend::cpu {

/// Vector operations that a vector of cells of a grid costs in one step; backend::Kernel::operations_per_cell.
int operations_of(const ir::Program& program, bool volume);

}  // namespace mottle::backend::cpu
