// mottle/domain/domain.h: where the equations live: a grid or a mesh
#pragma once
#include "mottle/domain/grid.h"
#include "mottle/domain/mesh.h"

#include <variant>

namespace mottle::domain {

using Domain = std::variant<Grid, Mesh>;

/// Cells of a grid are numbered x fastest, then y, then z, and are read and written in rows of `row_length` cells. The cells of a mesh are
/// its vertices, in one row.
Index cell_count(const Domain& domain);
Index row_length(const Domain& domain);
Index row_count(const Domain& domain);
/// "512x512 grid", "spot.obj (2,930 vertices)", for summaries and messages.
std::string describe(const Domain& domain);
/// The area (volume) that a cell stands for, up to a factor common to all: 1 on a grid, the lumped mass on a mesh.
double measure(const Domain& domain, Index cell);
/// Shape for files: {ny, nx}, {nz, ny, nx}, or {vertices of the file}.
std::vector<Index> shape(const Domain& domain);

}  // namespace mottle::domain
