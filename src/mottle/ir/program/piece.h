// mottle/ir/program/piece.h: a Program on a piece of its grid: what it reads beyond halos, and how far its steps reach
#pragma once
#include "mottle/ir/program/program.h"

namespace mottle::ir {

/// `program`, made for the whole grid, for `piece` of it (domain/piece.h): cells beyond a halo copy those beside it. Itself for a grid that is no piece.
/// Throws: InputError (the Program solves for diffusion).
Program program_of_piece(const Program& program, const domain::Grid& piece);

/// Cells that one step of a grid reads beyond its own along each axis, all of its stages together: so many cells at a halo are wrong behind a step.
domain::Triple reach_of_step(const Program& program);

}  // namespace mottle::ir
