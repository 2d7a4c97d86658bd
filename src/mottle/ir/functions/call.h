// mottle/ir/functions/call.h: arithmetic, comparisons and elementary functions of the language -> IR values
#pragma once
#include "mottle/ir/program/builder.h"
#include "mottle/model/ast.h"

#include <span>

namespace mottle::ir {

/// The value of a pointwise call with lowered arguments; comparisons give 1 or 0. The exponent of "^" is looked at in `call` itself.
/// Throws: ModelError (a function that is not pointwise).
Value lower_call(Builder& builder, const model::Expr& call, std::span<const Value> args);

}  // namespace mottle::ir
