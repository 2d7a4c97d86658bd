// mottle/ir/stability/reaction_bound.h: how fast a field grows or decays by its own reaction, over ranges of the fields
#pragma once
#include "mottle/ir/stability/linearise.h"

namespace mottle::ir {

/// The derivative of the right side of field i by that field, without its operators, over the box: by interval arithmetic, on parts of the box until the largest
/// magnitude of the bound is within some per cent of one that is reached there. Not bounded where interval arithmetic finds no bound over the whole box.
Interval reaction_bound(const model::Model& model, std::size_t i, const WaveScales& scales, const Box& box);

}  // namespace mottle::ir
