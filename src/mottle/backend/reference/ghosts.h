// mottle/backend/reference/ghosts.h: fills the ghost cells of an array from its interior
#pragma once
#include "mottle/backend/reference/padded_array.h"
#include "mottle/ir/program/program.h"

#include <span>

namespace mottle::backend::reference {

/// x ghosts of the interior rows first, then y ghosts of whole rows with their x ghosts, then z ghosts of whole planes.
/// `uniforms` answers the alpha and beta of the rule. Call it in the floating point mode of the kernel.
template <class Real>
void fill_ghosts(PaddedArray<Real>& array, const ir::GhostRule& rule, std::span<const Real> uniforms);

}  // namespace mottle::backend::reference
