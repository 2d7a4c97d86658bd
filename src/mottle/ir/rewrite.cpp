// mottle/ir/rewrite.cpp: small constructors and matchers on expression trees
#include "mottle/ir/rewrite.h"

#include "mottle/core/error.h"
#include "mottle/ir/tensor.h"

#include <algorithm>

namespace mottle::ir {

using model::Expr;
using model::ExprPtr;

ExprPtr number(double value) {
    Expr expr{};
    expr.kind = Expr::Kind::number;
    expr.number = value;
    return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr symbol(const std::string& name) {
    Expr expr{};
    expr.kind = Expr::Kind::name;
    expr.name = name;
    return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr call(const std::string& name, std::vector<ExprPtr> args, core::Span span) {
    Expr expr{};
    expr.kind = Expr::Kind::call;
    expr.name = name;
    expr.args = std::move(args);
    expr.span = std::move(span);
    return std::make_shared<const Expr>(std::move(expr));
}

bool is_call(const Expr& expr, std::string_view name) { return expr.kind == Expr::Kind::call && expr.name == name; }

ExprPtr with_name(const ExprPtr& expr, const std::string& name, const ExprPtr& value) {
    if (expr->kind == Expr::Kind::name && expr->name == name) return value;
    std::vector<ExprPtr> args;
    for (const ExprPtr& arg : expr->args) args.push_back(with_name(arg, name, value));
    if (args == expr->args) return expr;
    Expr copy = *expr;
    copy.args = std::move(args);
    return std::make_shared<const Expr>(std::move(copy));
}

namespace {

bool is_tensor(const Expr& expr) { return is_call(expr, "tensor") || is_call(expr, kDirected); }

/// One of the factors of a product passes `test`.
bool has_factor(const Expr& expr, bool (*test)(const Expr&)) {
    if (test(expr)) return true;
    if (!is_call(expr, "*") && !is_call(expr, "/") && !is_call(expr, "neg")) return false;
    return std::any_of(expr.args.begin(), expr.args.end(), [test](const ExprPtr& arg) { return has_factor(*arg, test); });
}

// Splits a vector expression into grad(f) and what multiplies it: scalars, and at most one tensor.
void split_flux(const ExprPtr& expr, Flux& flux, const Expr& divergence);

void split_scale(const ExprPtr& by, Flux& flux) {
    auto scale = [&](const ExprPtr& s) { flux.conductivity = flux.conductivity ? multiply(flux.conductivity, s) : s; };
    if (is_tensor(*by)) {
        flux.tensor = by;
    } else if (!has_factor(*by, is_tensor)) {
        scale(by);
    } else if (is_call(*by, "neg")) {
        scale(number(-1));
        split_scale(by->args[0], flux);
    } else {
        split_scale(by->args[0], flux);
        split_scale(is_call(*by, "/") ? divide(number(1), by->args[1]) : by->args[1], flux);
    }
}

void split_flux(const ExprPtr& expr, Flux& flux, const Expr& divergence) {
    auto scale = [&](const ExprPtr& by) { split_scale(by, flux); };
    auto is_gradient = [](const Expr& e) { return is_call(e, "grad"); };
    if (is_call(*expr, "grad")) {
        flux.potential = expr->args[0];
    } else if (is_call(*expr, "neg")) {
        scale(number(-1));
        split_flux(expr->args[0], flux, divergence);
    } else if (is_call(*expr, "*") || is_call(*expr, "/")) {
        bool left = has_factor(*expr->args[0], is_gradient);
        split_flux(expr->args[left ? 0 : 1], flux, divergence);
        scale(is_call(*expr, "/") ? divide(number(1), expr->args[1]) : expr->args[left ? 1 : 0]);
    } else {
        throw core::ModelError("div(...) needs a flux such as D*grad(f)", divergence.span);
    }
}

}  // namespace

Flux flux_of(const Expr& divergence) {
    Flux flux;
    split_flux(divergence.args[0], flux, divergence);
    return flux;
}

}  // namespace mottle::ir
