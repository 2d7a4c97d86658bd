// mottle/model/ast.h: the expression tree of the model language
#pragma once
#include "mottle/core/span.h"
#include "mottle/model/functions.h"

#include <memory>
#include <string>
#include <vector>

namespace mottle::model {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// One node; immutable and shared. Operators are calls: "+" "-" "*" "/" "^" "<" "<=" ">" ">=" "==" "!=" with two
/// arguments, "neg" with one. `text` literals occur only as arguments of image() and attr().
struct Expr {
    enum class Kind { number, text, name, call };
    Kind kind;
    core::Span span;               ///< of the whole node
    double number = 0;             ///< kind number
    std::string name;              ///< kinds name, call and text
    std::vector<ExprPtr> args;     ///< kind call
    Callee callee = Callee::none;  ///< kind call: what is called, if its name is known

    bool calls(Callee which) const { return callee == which; }
};

/// Structural equality; spans do not count.
bool equal(const Expr& a, const Expr& b);
/// The text of the expression with the fewest parentheses that read back the same.
std::string print(const Expr& expr);

}  // namespace mottle::model
