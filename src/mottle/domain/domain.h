// mottle/domain/domain.h: where the equations live: a grid or a mesh
#pragma once
#include "mottle/domain/grid.h"
#include "mottle/domain/mesh/mesh.h"

#include <span>
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
/// The areas that the cells stand for: the lumped masses of a mesh; empty where all are alike.
std::span<const double> measures(const Domain& domain);
/// The size of a cell of a grid, its spacing along each axis in use; 1 on a surface, whose cells have their own.
double cell_size(const Domain& domain);
/// Shape for files: {ny, nx}, {nz, ny, nx}, or {vertices of the file}.
std::vector<Index> shape(const Domain& domain);

}  // namespace mottle::domain
