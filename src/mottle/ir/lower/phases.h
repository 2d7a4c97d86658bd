// mottle/ir/lower/phases.h: a step with sums over all cells, as phases between which they are formed
#pragma once
#include "mottle/ir/lower/value.h"
#include "mottle/ir/method.h"

namespace mottle::ir {

/// Lowers the phase that all phases are, and lists them.
void lower_phases(Lowering& lowering, const System& system, const Scheme& scheme);

}  // namespace mottle::ir
