// mottle/ir/lower/rewrite.h: small constructors and matchers on expression trees, for the code that rewrites them
#pragma once
#include "mottle/model/ast.h"

#include <string>
#include <vector>

namespace mottle::ir {

using model::Callee;

model::ExprPtr number(double value);
model::ExprPtr symbol(const std::string& name);
model::ExprPtr call(Callee callee, std::vector<model::ExprPtr> args, core::Span span = {});
inline model::ExprPtr add(const model::ExprPtr& a, const model::ExprPtr& b) { return call(Callee::add, {a, b}); }
inline model::ExprPtr subtract(const model::ExprPtr& a, const model::ExprPtr& b) { return call(Callee::subtract, {a, b}); }
inline model::ExprPtr multiply(const model::ExprPtr& a, const model::ExprPtr& b) { return call(Callee::multiply, {a, b}); }
inline model::ExprPtr divide(const model::ExprPtr& a, const model::ExprPtr& b) { return call(Callee::divide, {a, b}); }

/// A call of an operator: lap, dx, ..., grad, tensor.
bool reads_neighbours(const model::Expr& expr);
/// Of one that makes a number for each cell and is linear in its field: lap, bilap, dx, dy, dz, div.
bool is_stencil(const model::Expr& expr);
/// Of one that makes a number for each cell: those, and dot and norm2.
bool makes_number(const model::Expr& expr);
/// `expr` with `value` wherever it says `name`; `expr` itself, if it nowhere does.
model::ExprPtr with_name(const model::ExprPtr& expr, const std::string& name, const model::ExprPtr& value);

/// The argument of div(...): conductivity * tensor * grad(potential). A null conductivity stands for 1, a null tensor for none.
struct Flux {
    model::ExprPtr conductivity, potential;
    model::ExprPtr tensor{};  ///< a call of tensor, or of directed
};
/// Throws: ModelError if the argument is no product with one grad(...).
Flux flux_of(const model::Expr& divergence);

}  // namespace mottle::ir
