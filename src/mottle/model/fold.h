// mottle/model/fold.h: the value of an expression of constants
#pragma once
#include "mottle/model/ast.h"

#include <functional>
#include <string>

namespace mottle::model {

/// The value of `expr` in f64; `value_of` gives that of a name other than pi. Only operations that every machine rounds alike are
/// known: + - * / comparisons, sqrt, abs, min, max, clamp, sign, floor, mod, where, and powers with a whole exponent up to 16 or 0.5.
/// Throws: ModelError for any other function.
double fold(const Expr& expr, const std::function<double(const Expr& name)>& value_of);

}  // namespace mottle::model
