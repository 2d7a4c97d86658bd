// mottle/ir/rewrite.cpp: small constructors and matchers on expression trees
#include "mottle/ir/rewrite.h"

#include "mottle/core/error.h"

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

bool is_call(const Expr& expr, std::string_view name) {
    return expr.kind == Expr::Kind::call && expr.name == name;
}

namespace {

// Splits a vector expression into grad(f) and the scalars that multiply it.
void split_flux(const ExprPtr& expr, Flux& flux, const Expr& divergence) {
    auto scale = [&](const ExprPtr& by) { flux.conductivity = flux.conductivity ? multiply(flux.conductivity, by) : by; };
    auto has_grad = [](const auto& self, const Expr& e) -> bool {
        if (is_call(e, "grad")) return true;
        if (is_call(e, "*") || is_call(e, "/") || is_call(e, "neg")) {
            for (const auto& arg : e.args) {
                if (self(self, *arg)) return true;
            }
        }
        return false;
    };
    if (is_call(*expr, "grad")) {
        flux.potential = expr->args[0];
    } else if (is_call(*expr, "neg")) {
        scale(number(-1));
        split_flux(expr->args[0], flux, divergence);
    } else if (is_call(*expr, "*") || is_call(*expr, "/")) {
        bool left = has_grad(has_grad, *expr->args[0]);
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
