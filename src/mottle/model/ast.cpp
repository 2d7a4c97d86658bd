// mottle/model/ast.cpp: comparison and printing of expression trees
#include "mottle/model/ast.h"

#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace mottle::model {
namespace {

/// How tightly an expression holds together; the grammar of parse.h from loose to tight.
enum Precedence { kComparison, kSum, kProduct, kUnary, kPower, kPrimary };

Precedence precedence(const Expr& expr) {
    if (expr.kind == Expr::Kind::number) return std::signbit(expr.number) ? kUnary : kPrimary;
    if (expr.kind != Expr::Kind::call) return kPrimary;
    if (expr.callee == Callee::negate && expr.args.size() != 1) return kPrimary;  // typed as a function, and not checked yet
    constexpr std::pair<Callee, Precedence> kOperators[] = {
        {Callee::negate, kUnary},
        {Callee::power, kPower},
        {Callee::multiply, kProduct},
        {Callee::divide, kProduct},
        {Callee::add, kSum},
        {Callee::subtract, kSum},
        {Callee::less, kComparison},
        {Callee::less_equal, kComparison},
        {Callee::greater, kComparison},
        {Callee::greater_equal, kComparison},
        {Callee::equal, kComparison},
        {Callee::not_equal, kComparison},
    };
    for (const auto& [callee, rank] : kOperators) {
        if (callee == expr.callee) return rank;
    }
    return kPrimary;  // a function
}

void append(std::string& out, const Expr& expr);

void append_within(std::string& out, const Expr& expr, Precedence least) {
    const bool parentheses = precedence(expr) < least;
    if (parentheses) out += '(';
    append(out, expr);
    if (parentheses) out += ')';
}

void append_call(std::string& out, const Expr& expr) {
    switch (precedence(expr)) {
        case kComparison:
            append_within(out, *expr.args[0], kSum);
            out += ' ' + expr.name + ' ';
            return append_within(out, *expr.args[1], kSum);
        case kSum:
            append_within(out, *expr.args[0], kSum);
            out += ' ' + expr.name + ' ';
            return append_within(out, *expr.args[1], kProduct);
        case kProduct:
            append_within(out, *expr.args[0], kProduct);
            out += expr.name;
            return append_within(out, *expr.args[1], kUnary);
        case kUnary:
            out += '-';
            return append_within(out, *expr.args[0], kUnary);
        case kPower:
            append_within(out, *expr.args[0], kPrimary);
            out += '^';
            return append_within(out, *expr.args[1], kUnary);
        case kPrimary:
            break;
    }
    out += expr.name + '(';
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
        if (i > 0) out += ", ";
        append(out, *expr.args[i]);
    }
    out += ')';
}

void append(std::string& out, const Expr& expr) {
    switch (expr.kind) {
        case Expr::Kind::number:
            out += core::number_text(expr.number);
            return;
        case Expr::Kind::name:
            out += expr.name;
            return;
        case Expr::Kind::call:
            return append_call(out, expr);
        case Expr::Kind::text:
            break;
    }
    const char quote = expr.name.find('"') == std::string::npos ? '"' : '\'';
    out += quote + expr.name + quote;
}

}  // namespace

bool equal(const Expr& a, const Expr& b) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.number != b.number || a.name != b.name) return false;
    return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                      [](const ExprPtr& x, const ExprPtr& y) { return equal(*x, *y); });
}

std::string print(const Expr& expr) {
    std::string out;
    append(out, expr);
    return out;
}

}  // namespace mottle::model
