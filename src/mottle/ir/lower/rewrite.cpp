// mottle/ir/lower/rewrite.cpp: small constructors and matchers on expression trees
#include "mottle/ir/lower/rewrite.h"

#include "mottle/core/error.h"
#include "mottle/ir/lower/tensor.h"

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

ExprPtr call(Callee callee, std::vector<ExprPtr> args, core::Span span) {
    Expr expr{};
    expr.kind = Expr::Kind::call;
    expr.callee = callee;
    expr.name = model::function_of(callee).name;
    expr.args = std::move(args);
    expr.span = std::move(span);
    return std::make_shared<const Expr>(std::move(expr));
}

bool reads_neighbours(const Expr& expr) {
    return expr.callee != Callee::none && model::function_of(expr.callee).shape != model::Shape::none;
}

bool is_stencil(const Expr& expr) { return expr.callee != Callee::none && model::function_of(expr.callee).shape == model::Shape::stencil; }

bool makes_number(const Expr& expr) {
    return is_stencil(expr) || (expr.callee != Callee::none && model::function_of(expr.callee).shape == model::Shape::gradients);
}

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

bool is_tensor(const Expr& expr) { return expr.calls(Callee::tensor) || expr.calls(Callee::directed); }

/// One of the factors of a product passes `test`.
bool has_factor(const Expr& expr, bool (*test)(const Expr&)) {
    if (test(expr)) return true;
    if (!expr.calls(Callee::multiply) && !expr.calls(Callee::divide) && !expr.calls(Callee::negate)) return false;
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
    } else if (by->calls(Callee::negate)) {
        scale(number(-1));
        split_scale(by->args[0], flux);
    } else {
        split_scale(by->args[0], flux);
        split_scale(by->calls(Callee::divide) ? divide(number(1), by->args[1]) : by->args[1], flux);
    }
}

void split_flux(const ExprPtr& expr, Flux& flux, const Expr& divergence) {
    auto scale = [&](const ExprPtr& by) { split_scale(by, flux); };
    auto is_gradient = [](const Expr& e) { return e.calls(Callee::grad); };
    if (expr->calls(Callee::grad)) {
        flux.potential = expr->args[0];
    } else if (expr->calls(Callee::negate)) {
        scale(number(-1));
        split_flux(expr->args[0], flux, divergence);
    } else if (expr->calls(Callee::multiply) || expr->calls(Callee::divide)) {
        bool left = has_factor(*expr->args[0], is_gradient);
        split_flux(expr->args[left ? 0 : 1], flux, divergence);
        scale(expr->calls(Callee::divide) ? divide(number(1), expr->args[1]) : expr->args[left ? 1 : 0]);
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
