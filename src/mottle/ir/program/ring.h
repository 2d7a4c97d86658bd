// mottle/ir/program/ring.h: the parts of a stage on a mesh: what runs once per vertex before and after, and the body that runs for every neighbour
#pragma once
#include "mottle/ir/program/program.h"

#include <vector>

namespace mottle::ir {

/// The values of a stage by when they are computed, each list ascending.
struct RingSplit {
    std::vector<Value> before;  ///< once per vertex: what the body and the sums need
    std::vector<Value> body;    ///< for every neighbour: what depends on `neighbour` and `edge`
    std::vector<Value> sums;    ///< the row sums, each one accumulator
    std::vector<Value> after;   ///< once per vertex
};
RingSplit split_ring(const Code& code);

/// By value: it depends on `neighbour` or `edge`, not through a row_sum.
std::vector<bool> body_of(const Code& code);

}  // namespace mottle::ir
