// mottle/ir/lower/phases.h: a step with sums over all cells: phases, between which the sums are computed
#pragma once
#include "mottle/ir/lower/value.h"
#include "mottle/ir/method.h"

namespace mottle::ir {

/// Lowers the Program that all phases share, and lists the phases.
void lower_phases(Lowering& lowering, const System& system, const Scheme& scheme);

}  // namespace mottle::ir
