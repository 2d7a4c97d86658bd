// mottle/field/source.h: dense inputs of initial expressions: noise, spots and images, row by row in f64
#pragma once
#include "mottle/field/field.h"
#include "mottle/ir/lower/expression.h"

#include <functional>
#include <span>

namespace mottle::field {

/// Sets `cells` to cells x .. x + cells.size() - 1 of row `row` of the domain; of a piece of a grid, by their numbers in the whole. May be called from several threads.
using RowSource = std::function<void(core::Index row, core::Index x, std::span<double> cells)>;

/// noise(lo, hi): lo + (hi - lo) U(cell). spots(n, r): 1 in cells whose centre is at most r from one of n centres, by the nearest image
/// where the domain is periodic, else 0. image(file): bilinear between pixel centres, the picture stretched over x and y, its top row at
/// y = 0; 0 (black) to 1 (white), colours by their bt709 luma, transparency ignored. On a mesh the picture is sampled at the texture coordinates, (0, 0)
/// its lower left corner, repeated beyond 0..1; attr(name): the numbers of a vertex in the file of the mesh.
/// given(name, low, high): InitialSpec::arrays.
/// Throws: InputError with place (image unreadable, too many spots), ModelError (wrong arguments).
RowSource create_source(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial);

/// Throws: ModelError, InputError (what create_source says of the arguments of spots).
void require_spots(const ir::SourceCall& call);

/// Evaluates `expression` over cells of a row. Throws: as create_source.
RowSource create_row_expression(const ir::Expression& expression, const domain::Domain& domain, const InitialSpec& initial);

}  // namespace mottle::field
