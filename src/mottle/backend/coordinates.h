// mottle/backend/coordinates.h: the tables behind ir::Op::axis, one f64 entry per cell of an axis
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/program/program.h"

#include <vector>

namespace mottle::backend {

/// The axis that `axis` runs along: 0 (x), 1 (y) or 2 (z).
int direction(ir::Axis axis);

/// The table of `axis`; of a piece (domain/piece.h), the entries of the whole grid.
/// Shape:  size[direction(axis)] entries.
/// Units:  lengths, x_i = (i + 1/2) h; unit axes x_i / (n h); still axes 1 on a border cell whose side is `still`, else 0; cell axes i.
std::vector<double> coordinate_table(const domain::Grid& grid, ir::Axis axis);

/// The same of a mesh: one entry per vertex. Lengths are those of the equations (file times scale), X, Y, Z the place in the bounding box
/// (0 along an axis in which it is flat), the loop table 1 + the boundary loop's number on its vertices, else 0; see ir::Axis for the others.
std::vector<double> coordinate_table(const domain::Mesh& mesh, ir::Axis axis);

/// The cell that position `i` of axis `direction` stands for: itself inside, wrapped if the axis is periodic, else mirrored at the border.
domain::Index inside_cell(const domain::Grid& grid, int direction, domain::Index i);

}  // namespace mottle::backend
