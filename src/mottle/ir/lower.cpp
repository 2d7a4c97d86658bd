// mottle/ir/lower.cpp: equations in normal form -> the Program of one Euler step (the passes collect_affine and fuse_fma)
#include "mottle/core/error.h"
#include "mottle/ir/functions.h"
#include "mottle/ir/lower_domain.h"

namespace mottle::ir {
namespace {

using model::ExprPtr;

constexpr double kFlushBelow = 0x1p-340;

/// The terms of one right side by what they become: parts of the folded coefficient, the source, stencil terms, products.
struct SortedTerms {
    ExprPtr linear, diffusion, source;  // sums of signed coefficients; null if there is none
    std::vector<const Term*> stencils, products;
};

void accumulate(ExprPtr& sum, const Term& term) {
    ExprPtr coefficient = term.coefficient ? term.coefficient : number(1);
    if (!sum) {
        sum = term.negative ? call("neg", {coefficient}) : coefficient;
    } else {
        sum = term.negative ? subtract(sum, coefficient) : add(sum, coefficient);
    }
}

class FieldUpdate {
   public:
    FieldUpdate(Lowering& lowering, int field)
        : lowering_(lowering), stage_(lowering.last_stage()), b_(stage_.code), array_(lowering.field_array(field)), field_(field) {}

    Value lower(const Rate& rate) {
        SortedTerms terms = sort(rate);
        Value acc = start(terms);
        for (const Term* term : terms.stencils) acc = stencil_term(*term, acc);
        for (const Term* term : terms.products) acc = product_term(*term, acc);
        return acc;
    }

   private:
    bool is_own_field(const ExprPtr& expr) const { return lowering_.classifier().field(*expr) == field_; }

    SortedTerms sort(const Rate& rate) const {
        SortedTerms sorted;
        for (const Term& term : rate.terms) {
            const bool alone = term.factors.size() == 1 && !lowering_.is_held(*term.factors[0]);  // what is held is a factor like any other
            const ExprPtr* only = alone ? &term.factors[0] : nullptr;
            if (term.factors.empty()) {
                accumulate(sorted.source, term);
            } else if (only && is_own_field(*only)) {
                accumulate(sorted.linear, term);
            } else if (only && is_call(**only, "lap") && is_own_field((*only)->args[0])) {
                accumulate(sorted.diffusion, term);
            } else if (only && is_stencil(**only)) {
                sorted.stencils.push_back(&term);
            } else {
                sorted.products.push_back(&term);
            }
        }
        return sorted;
    }

    static bool is_stencil(const model::Expr& expr) {
        return is_call(expr, "lap") || is_call(expr, "bilap") || is_call(expr, "dx") || is_call(expr, "dy") || is_call(expr, "dz") ||
               is_call(expr, "div");
    }

    static ExprPtr times_dt(const ExprPtr& coefficient) { return coefficient ? multiply(symbol("dt"), coefficient) : symbol("dt"); }

    // dt * coefficient * weight
    static ExprPtr scaled(const ExprPtr& coefficient, double weight) {
        ExprPtr product = times_dt(coefficient);
        return weight == 1 ? product : multiply(product, number(weight));
    }

    Value uniform(const ExprPtr& expr) { return lowering_.uniforms().value(b_, expr); }

    // In the folded form the rounded weights stand in the centre coefficient too: C = 1 + r + residual - sum n_j W_j.
    ExprPtr rounded(const ExprPtr& weight) const { return lowering_.program().f64 ? weight : call("round_single", {weight}); }

    // f + dt*(source + linear*f + diffusion*lap(f)): folded into one coefficient of f where the text has a linear term, else in delta form.
    Value start(const SortedTerms& terms) {
        Value centre = b_.load(array_);
        const LaplacianShape& shape = lowering_.shape();
        bool folded = terms.linear || (terms.diffusion && shape.residual != 0);
        Value acc = -1;
        if (folded) {
            ExprPtr coefficient = number(1);
            if (terms.linear) coefficient = add(coefficient, times_dt(terms.linear));
            if (terms.diffusion && shape.residual != 0) coefficient = add(coefficient, scaled(terms.diffusion, shape.residual));
            if (terms.diffusion) {
                for (const auto& group : shape.groups) {
                    if (group.count == 0) continue;
                    coefficient = subtract(coefficient, multiply(number(group.count), rounded(scaled(terms.diffusion, group.weight))));
                }
            }
            Value c = uniform(coefficient);
            acc = terms.source ? b_.fma(c, centre, uniform(times_dt(terms.source))) : b_.mul(c, centre);
        } else {
            acc = terms.source ? b_.add(centre, uniform(times_dt(terms.source))) : centre;
        }
        if (!terms.diffusion) return acc;
        for (const auto& group : shape.groups) {
            Value sum = folded ? lowering_.group_sum(stage_, group, array_) : lowering_.group_difference(stage_, group, array_);
            acc = b_.fma(uniform(scaled(terms.diffusion, group.weight)), sum, acc);
        }
        return acc;
    }

    Value add_scaled(const Term& term, double weight, Value value, Value acc) {
        Value w = uniform(scaled(term.coefficient, weight));
        return b_.fma(term.negative ? b_.neg(w) : w, value, acc);
    }

    Value laplacian_term(const Term& term, Array array, Value acc) {
        const LaplacianShape& shape = lowering_.shape();
        for (const auto& group : shape.groups) acc = add_scaled(term, group.weight, lowering_.group_difference(stage_, group, array), acc);
        return shape.residual == 0 ? acc : add_scaled(term, shape.residual, b_.load(array), acc);
    }

    Value stencil_term(const Term& term, Value acc) {
        const model::Expr& expr = *term.factors[0];
        if (is_call(expr, "lap")) return laplacian_term(term, lowering_.operand(expr.args[0]), acc);
        if (is_call(expr, "bilap")) return laplacian_term(term, lowering_.operand(call("lap", {expr.args[0]}, expr.span)), acc);
        if (is_call(expr, "div")) {
            for (const auto& [weight, q] : lowering_.fluxes(stage_, flux_of(expr))) acc = add_scaled(term, weight, q, acc);
            return acc;
        }
        for (const auto& [weight, difference] : lowering_.derivative(stage_, expr)) acc = add_scaled(term, weight, difference, acc);
        return acc;
    }

    // c*p1*p2*...*pn: w = ((c*p2)*p3)*..., acc = fma(p1, w, acc), the sign folded into the fma.
    Value product_term(const Term& term, Value acc) {
        Value w = uniform(times_dt(term.coefficient));
        for (std::size_t i = 1; i < term.factors.size(); ++i) w = b_.mul(w, lowering_.value(stage_, term.factors[i]));
        Value first = lowering_.value(stage_, term.factors[0]);
        return b_.fma(term.negative ? b_.neg(first) : first, w, acc);
    }

    Lowering& lowering_;
    StageBuilder& stage_;
    Builder& b_;
    Array array_;
    int field_;
};

// f64: |x| < 2^-340 becomes 0, so that decaying tails never sit among subnormals; NaN stays.
Sweep with_flush(const Sweep& step) {
    Sweep flushed = step;
    Stage& last = flushed.stages.back();
    Builder b(true);
    for (const auto& instruction : last.code) b.emit(instruction);
    for (auto& [array, value] : last.stores) {
        (void)array;
        value = b.select(b.less(b.abs(value), b.literal(kFlushBelow)), b.literal(0), value);
    }
    last.code = b.take();
    return flushed;
}

std::unique_ptr<Lowering> create_lowering(const System& system, const Method& method, const domain::Domain& domain) {
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_mesh_lowering(system, method, *mesh);
    return create_grid_lowering(system, method, std::get<domain::Grid>(domain));
}

}  // namespace

Program lower(const System& system, const Method& method, const domain::Domain& domain) {
    if (method.name != "euler") throw core::InputError("unknown method '" + method.name + "'; this version has 'euler'");
    const std::unique_ptr<Lowering> lowering = create_lowering(system, method, domain);
    StageBuilder& stage = lowering->last_stage();
    for (const Rate& rate : system.rates) {
        for (const Term& term : rate.terms) {
            for (const auto& factor : term.factors) lowering->hold_operands(factor);
        }
    }
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        const int field = static_cast<int>(i);
        Value next = FieldUpdate(*lowering, field).lower(system.rates[i]);
        if (const auto& range = system.model.equations[i].clamp) {
            next = clamp(stage.code, next, stage.code.literal((*range)[0]), stage.code.literal((*range)[1]));
        }
        stage.stores.emplace_back(lowering->field_array(field), lowering->bordered(stage, field, next));
    }
    lowering->finish();
    Program program = std::move(lowering->program());
    if (program.f64) program.flush_step = with_flush(program.step);
    verify(program);
    return program;
}

}  // namespace mottle::ir
