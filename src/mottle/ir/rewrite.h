// mottle/ir/rewrite.h: small constructors and matchers on expression trees, for the passes that rewrite them
#pragma once
#include "mottle/model/ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace mottle::ir {

model::ExprPtr number(double value);
model::ExprPtr symbol(const std::string& name);
model::ExprPtr call(const std::string& name, std::vector<model::ExprPtr> args, core::Span span = {});
inline model::ExprPtr add(const model::ExprPtr& a, const model::ExprPtr& b) { return call("+", {a, b}); }
inline model::ExprPtr subtract(const model::ExprPtr& a, const model::ExprPtr& b) { return call("-", {a, b}); }
inline model::ExprPtr multiply(const model::ExprPtr& a, const model::ExprPtr& b) { return call("*", {a, b}); }
inline model::ExprPtr divide(const model::ExprPtr& a, const model::ExprPtr& b) { return call("/", {a, b}); }

bool is_call(const model::Expr& expr, std::string_view name);
/// `expr` with `value` wherever it says `name`; `expr` itself, if it nowhere does.
model::ExprPtr with_name(const model::ExprPtr& expr, const std::string& name, const model::ExprPtr& value);

/// The argument of div(...): conductivity * tensor * grad(potential). A null conductivity stands for 1, a null tensor for none.
struct Flux {
    model::ExprPtr conductivity, potential;
    model::ExprPtr tensor{};  ///< a call of tensor, or of kDirected (ir/tensor.h)
};
/// Throws: ModelError if the argument is no product with one grad(...).
Flux flux_of(const model::Expr& divergence);

}  // namespace mottle::ir
