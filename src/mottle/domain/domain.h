// mottle/domain/domain.h: where the equations live: a grid, later a mesh too
#pragma once
#include "mottle/domain/grid.h"

#include <variant>

namespace mottle::domain {

using Domain = std::variant<Grid>;

/// Cells are numbered x fastest, then y, then z, and are read and written in rows of `row_length` cells.
Index cell_count(const Domain& domain);
Index row_length(const Domain& domain);
Index row_count(const Domain& domain);
/// "512x512 grid", for summaries and messages.
std::string describe(const Domain& domain);
/// Shape for files: {ny, nx} or {nz, ny, nx}.
std::vector<Index> shape(const Domain& domain);

}  // namespace mottle::domain
