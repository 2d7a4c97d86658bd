// mottle/ir/lower/build.cpp: right sides -> normal form: sums of uniform coefficient times varying factors
#include "mottle/ir/lower/classify.h"
#include "mottle/core/cancellation.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/lower/rewrite.h"
#include "mottle/ir/lower/sums.h"
#include "mottle/ir/lower/system.h"
#include "mottle/ir/lower/tensor.h"

#include <algorithm>
#include <unordered_map>

namespace mottle::ir {
namespace {

using model::Expr;
using model::ExprPtr;

/// The largest power that is written out as repeated factors; beyond it x^n is one factor (x^4 = (x^2)^2 is cheaper).
constexpr int kLargestFlatPower = 3;

struct Product {
    bool negative = false;
    ExprPtr coefficient;
    std::vector<ExprPtr> factors;

    void scale(const ExprPtr& by) { coefficient = coefficient ? multiply(coefficient, by) : by; }
};

class Expander {
   public:
    explicit Expander(const Classifier& classifier) : classifier_(classifier) {}

    void expand(const ExprPtr& expr, bool negative, const ExprPtr& coefficient, std::vector<Term>& out) const {
        if (expr->calls(Callee::add) || expr->calls(Callee::subtract)) {
            expand(expr->args[0], negative, coefficient, out);
            expand(expr->args[1], negative != (expr->calls(Callee::subtract)), coefficient, out);
            return;
        }
        Product product{negative, coefficient, {}};
        flatten(expr, product);
        if (product.factors.size() == 1 && is_sum(*product.factors[0])) {
            expand(product.factors[0], product.negative, product.coefficient, out);
            return;
        }
        out.push_back({product.negative, product.coefficient, std::move(product.factors)});
    }

   private:
    static bool is_sum(const Expr& expr) { return expr.calls(Callee::add) || expr.calls(Callee::subtract) || expr.calls(Callee::negate); }

    // Appends the factors of `expr`, left to right; uniform ones go to the coefficient.
    void flatten(const ExprPtr& expr, Product& product) const {
        if (classifier_.is_uniform(*expr)) {
            flatten_uniform(expr, product);
        } else if (expr->calls(Callee::multiply)) {
            flatten(expr->args[0], product);
            flatten(expr->args[1], product);
        } else if (expr->calls(Callee::negate)) {
            product.negative = !product.negative;
            flatten(expr->args[0], product);
        } else if (expr->calls(Callee::divide)) {
            flatten_quotient(*expr, product);
        } else if (int n = flat_power(*expr); n > 0) {
            product.factors.insert(product.factors.end(), core::at(n), expr->args[0]);
        } else if (expr->calls(Callee::div)) {
            flatten_divergence(expr, product);
        } else {
            product.factors.push_back(expr);
        }
    }

    static void flatten_uniform(const ExprPtr& expr, Product& product) {
        if (expr->calls(Callee::negate)) {
            product.negative = !product.negative;
            flatten_uniform(expr->args[0], product);
        } else if (!(expr->kind == Expr::Kind::number && expr->number == 1)) {
            product.scale(expr);
        }
    }

    // a/b: a uniform b divides the coefficient; else the varying factors of `a` stay above b and its uniform ones join the coefficient.
    void flatten_quotient(const Expr& quotient, Product& product) const {
        const ExprPtr& below = quotient.args[1];
        if (classifier_.is_uniform(*below)) {
            flatten(quotient.args[0], product);
            product.coefficient = divide(product.coefficient ? product.coefficient : number(1), below);
            return;
        }
        Product above;
        flatten(quotient.args[0], above);
        product.negative = product.negative != above.negative;
        if (above.coefficient) product.scale(above.coefficient);
        ExprPtr numerator = above.factors.empty() ? number(1) : above.factors[0];
        for (std::size_t i = 1; i < above.factors.size(); ++i) numerator = multiply(numerator, above.factors[i]);
        product.factors.push_back(call(Callee::divide, {numerator, below}, quotient.span));
    }

    // div(grad(f)) and div(D*grad(f)) with uniform D are D*lap(f).
    void flatten_divergence(const ExprPtr& expr, Product& product) const {
        Flux flux = flux_of(*expr);
        if (flux.tensor) {
            const bool uniform = flux.conductivity && classifier_.is_uniform(*flux.conductivity);
            if (uniform) flatten_uniform(flux.conductivity, product);
            const ExprPtr vector = multiply(flux.tensor, call(Callee::grad, {flux.potential}, expr->span));
            product.factors.push_back(uniform ? call(Callee::div, {vector}, expr->span) : expr);
        } else if (!flux.conductivity) {
            product.factors.push_back(call(Callee::lap, {flux.potential}, expr->span));
        } else if (classifier_.is_uniform(*flux.conductivity)) {
            flatten_uniform(flux.conductivity, product);
            product.factors.push_back(call(Callee::lap, {flux.potential}, expr->span));
        } else {
            product.factors.push_back(expr);
        }
    }

    static int flat_power(const Expr& expr) {
        if (!expr.calls(Callee::power)) return 0;
        const Expr& exponent = *expr.args[1];
        if (exponent.kind != Expr::Kind::number) return 0;
        if (!(exponent.number >= 1 && exponent.number <= kLargestFlatPower)) return 0;
        const int n = static_cast<int>(exponent.number);
        return n == exponent.number ? n : 0;
    }

    const Classifier& classifier_;
};

/// Every white() with its number as argument, so that one is told from another.
class NoiseNumbers {
   public:
    explicit NoiseNumbers(const model::Model& model) : numbers_(model, steps_draws_of) {}

    // Trees are shared after [define]: each node is written once.
    ExprPtr numbered(const ExprPtr& expr) {
        if (expr->kind != Expr::Kind::call) return expr;
        if (const auto found = known_.find(expr); found != known_.end()) return found->second;
        std::vector<ExprPtr> args;
        if (steps_draws_of(*expr) > 0) args.push_back(number(numbers_.first(*expr)));
        for (const ExprPtr& arg : expr->args) args.push_back(numbered(arg));
        ExprPtr result = args == expr->args ? expr : call(expr->callee, std::move(args), expr->span);
        known_.emplace(expr, result);
        return result;
    }

   private:
    DrawNumbers numbers_;
    std::unordered_map<ExprPtr, ExprPtr> known_;
};

}  // namespace

std::vector<Term> terms_of(const ExprPtr& expr, const Classifier& classifier) {
    std::vector<Term> terms;
    Expander(classifier).expand(expr, false, nullptr, terms);
    return terms;
}

ExprPtr sum_of(const std::vector<Term>& terms) {
    ExprPtr sum;
    for (const Term& term : terms) {
        ExprPtr product = term.coefficient;
        for (const ExprPtr& factor : term.factors) product = product ? multiply(product, factor) : factor;
        if (!product) product = number(1);
        if (!sum)
            sum = term.negative ? call(Callee::negate, {product}) : product;
        else
            sum = term.negative ? subtract(sum, product) : add(sum, product);
    }
    return sum ? sum : number(0);
}

bool reads_time(const Expr& expr) {
    if (expr.kind == Expr::Kind::name && expr.name == "t") return true;
    return std::any_of(expr.args.begin(), expr.args.end(), [](const ExprPtr& arg) { return reads_time(*arg); });
}

System build(const model::Model& model) {
    Classifier classifier(model);
    NoiseNumbers noise(model);
    Expander expander(classifier);
    System system{model, {}, {}};
    SumTaker sums(system.sums);
    for (const auto& equation : model.equations) {
        core::cancellation_point();
        Rate rate{equation.field, {}};
        expander.expand(split_tensors(sums.take(noise.numbered(equation.rate)), classifier), false, nullptr, rate.terms);
        system.rates.push_back(std::move(rate));
    }
    return system;
}

}  // namespace mottle::ir
