// mottle/model/parse.h: equation text -> expression tree
#pragma once
#include "mottle/core/span.h"
#include "mottle/model/ast.h"

namespace mottle::model {

/// No tree of the language is deeper, also after its definitions are put in, so that it may be walked recursively.
inline constexpr int kDeepestTree = 1000;
inline constexpr int kDeepestMap = 2 * kDeepestTree;  ///< with the maps that a map is made of written out

/// Parses one expression. Precedence from loose to tight: comparisons (not chained), + -, * /, unary -, ^ (right; -x^2 = -(x^2), 2^-1 works), calls.
/// Throws: ModelError with place and caret: syntax, nesting beyond 256 levels, a tree beyond kDeepestTree, text beyond 64 KiB.
ExprPtr parse(const core::Text& text);

}  // namespace mottle::model
