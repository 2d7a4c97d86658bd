// mottle/sweep/shared_parts.h: what all members of a sweep share although it is made of expressions: the region, and the weights of tensors
#pragma once
#include "mottle/sweep/spec.h"

namespace mottle::sweep {

/// Refuses a sweep whose axes change, by themselves or through other parameters, the region or what is known of a tensor before the first step.
/// Throws: InputError naming the axis.
void require_shared_parts(const Spec& spec);

}  // namespace mottle::sweep
