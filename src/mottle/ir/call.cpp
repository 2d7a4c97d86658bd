// mottle/ir/call.cpp: arithmetic, comparisons and elementary functions of the language -> IR values
#include "mottle/ir/call.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions.h"
#include "mottle/ir/rewrite.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace mottle::ir {

using model::Expr;

namespace {

Value compare(Builder& b, std::string_view op, Value x, Value y) {
    if (op == "<") return b.less(x, y);
    if (op == "<=") return b.less_equal(x, y);
    if (op == ">") return b.less(y, x);
    if (op == ">=") return b.less_equal(y, x);
    return b.equal(x, y);
}

bool is_comparison(const Expr& expr) {
    if (expr.kind != Expr::Kind::call) return false;
    const std::string& op = expr.name;
    return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

// The literal value of an exponent: a number, or a negated number.
std::optional<double> literal_of(const Expr& expr) {
    if (expr.kind == Expr::Kind::number) return expr.number;
    if (is_call(expr, "neg") && expr.args[0]->kind == Expr::Kind::number) return -expr.args[0]->number;
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
    const Instruction made = b.code()[static_cast<std::size_t>(condition)];
    if (made.op == Op::select) {
        Value one = b.literal(1), zero = b.literal(0);
        if (made.args[1] == one && made.args[2] == zero) return b.select(made.args[0], x, y);
        if (made.args[1] == zero && made.args[2] == one) return b.select(made.args[0], y, x);
    }
    return b.select(b.equal(condition, b.literal(0)), y, x);
}

using Unary = Value (*)(Builder&, Value);
const std::unordered_map<std::string_view, Unary>& unary_functions() {
    static const std::unordered_map<std::string_view, Unary> table = {
        {"sign", sign},
        {"exp", exp},
        {"log", log},
        {"sin", sin},
        {"cos", cos},
        {"tan", tan},
        {"tanh", tanh},
        {"neg", [](Builder& b, Value x) { return b.neg(x); }},
        {"abs", [](Builder& b, Value x) { return b.abs(x); }},
        {"sqrt", [](Builder& b, Value x) { return b.sqrt(x); }},
        {"floor", [](Builder& b, Value x) { return b.floor(x); }},
        {"round_single", [](Builder& b, Value x) { return b.round_single(x); }},
    };
    return table;
}

using Binary = Value (*)(Builder&, Value, Value);
const std::unordered_map<std::string_view, Binary>& binary_functions() {
    static const std::unordered_map<std::string_view, Binary> table = {
        {"min", min},
        {"max", max},
        {"mod", mod},
        {"atan2", atan2},
        {"pow", pow},
        {"+", [](Builder& b, Value x, Value y) { return b.add(x, y); }},
        {"-", [](Builder& b, Value x, Value y) { return b.sub(x, y); }},
        {"*", [](Builder& b, Value x, Value y) { return b.mul(x, y); }},
        {"/", [](Builder& b, Value x, Value y) { return b.div(x, y); }},
    };
    return table;
}

}  // namespace

Value lower_call(Builder& b, const Expr& call, std::span<const Value> args) {
    if (is_comparison(call)) {
        bool negated = call.name == "!=";
        return b.select(compare(b, call.name, args[0], args[1]), b.literal(negated ? 0 : 1), b.literal(negated ? 1 : 0));
    }
    if (call.name == "^") return lower_power(b, call, args[0], args[1]);
    if (call.name == "clamp") return clamp(b, args[0], args[1], args[2]);
    if (call.name == "where") return lower_where(b, args[0], args[1], args[2]);
    if (args.size() == 1) {
        if (auto found = unary_functions().find(call.name); found != unary_functions().end()) return found->second(b, args[0]);
    }
    if (args.size() == 2) {
        if (auto found = binary_functions().find(call.name); found != binary_functions().end()) return found->second(b, args[0], args[1]);
    }
    throw core::ModelError("'" + call.name + "' cannot be used here", call.span);
}

}  // namespace mottle::ir
