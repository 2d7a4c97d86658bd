// mottle/ir/functions/call.cpp: arithmetic, comparisons and elementary functions of the language -> IR values
#include "mottle/ir/functions/call.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/rewrite.h"

#include <cmath>
#include <optional>

namespace mottle::ir {

using model::Callee;
using model::Expr;

namespace {

/// 1 where the comparison holds, else 0.
Value compare(Builder& b, Callee comparison, Value x, Value y) {
    const auto mask = [&] {
        if (comparison == Callee::less) return b.less(x, y);
        if (comparison == Callee::less_equal) return b.less_equal(x, y);
        if (comparison == Callee::greater) return b.less(y, x);
        if (comparison == Callee::greater_equal) return b.less_equal(y, x);
        return b.equal(x, y);  // or not: see below
    };
    const bool negated = comparison == Callee::not_equal;
    return b.select(mask(), b.literal(negated ? 0 : 1), b.literal(negated ? 1 : 0));
}

// The literal value of an exponent: a number, or a negated number.
std::optional<double> literal_of(const Expr& expr) {
    if (expr.kind == Expr::Kind::number) return expr.number;
    if (expr.calls(Callee::negate) && expr.args[0]->kind == Expr::Kind::number) return -expr.args[0]->number;
    return std::nullopt;
}

Value lower_power(Builder& b, const Expr& call, Value x, Value y) {
    if (auto n = literal_of(*call.args[1])) {
        if (*n == std::floor(*n) && std::abs(*n) <= 16) return powi(b, x, static_cast<int>(*n));
        if (*n == 0.5) return b.sqrt(x);
    }
    return pow(b, x, y);
}

// Uses the mask behind a comparison's 1 or 0 where there is one; any other value is true unless it equals 0 (so NaN is true).
Value lower_where(Builder& b, Value condition, Value x, Value y) {
    const Instruction made = b.code()[core::at(condition)];
    if (made.op == Op::select) {
        Value one = b.literal(1), zero = b.literal(0);
        if (made.args[1] == one && made.args[2] == zero) return b.select(made.args[0], x, y);
        if (made.args[1] == zero && made.args[2] == one) return b.select(made.args[0], y, x);
    }
    return b.select(b.equal(condition, b.literal(0)), y, x);
}

}  // namespace

Value lower_call(Builder& b, const Expr& call, std::span<const Value> args) {
    const auto argument = [&](std::size_t i) { return i < args.size() ? args[i] : Value{-1}; };
    [[maybe_unused]] const Value x = argument(0), y = argument(1), z = argument(2);
    switch (call.callee) {
#define MOTTLE_POINTWISE(id, name, arguments, use, usage, meaning, ulps, lowered, ...) \
    case Callee::id:                                                                   \
        return lowered;
#define MOTTLE_OPERATOR(id, ...) \
    case Callee::id:             \
        break;
#define MOTTLE_SOURCE(id, ...) \
    case Callee::id:           \
        break;
#include "mottle/model/functions.def"
        case Callee::none:
            break;
    }
    throw core::ModelError("'" + call.name + "' cannot be used here", call.span);
}

}  // namespace mottle::ir
