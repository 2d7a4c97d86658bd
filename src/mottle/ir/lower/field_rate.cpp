// mottle/ir/lower/field_rate.cpp: one right side in a cell: Euler's step, or the rate alone
#include "mottle/ir/lower/field_rate.h"

#include <utility>

namespace mottle::ir {

using model::ExprPtr;

namespace {

void accumulate(ExprPtr& sum, const Term& term) {
    ExprPtr coefficient = term.coefficient ? term.coefficient : number(1);
    if (!sum) {
        sum = term.negative ? call(Callee::negate, {coefficient}) : coefficient;
    } else {
        sum = term.negative ? subtract(sum, coefficient) : add(sum, coefficient);
    }
}

}  // namespace

FieldRate::FieldRate(Lowering& lowering, int field)
    : lowering_(lowering), stage_(lowering.rates()), b_(stage_.code), array_(lowering.field_array(field)), field_(field) {}

Value FieldRate::euler_step(const Rate& rate, const ExprPtr& dt) {
    dt_ = dt;
    const SortedTerms terms = sort(rate);
    return add_others(terms, start(terms));
}

Value FieldRate::slope(const Rate& rate) {
    dt_ = nullptr;
    const SortedTerms terms = sort(rate);
    Value acc = -1;
    if (terms.source) acc = uniform(terms.source);
    if (terms.linear) acc = plus(uniform(terms.linear), b_.load(array_), acc);
    if (terms.diffusion) {
        const LaplacianShape& shape = lowering_.shape();
        for (const auto& group : shape.groups)
            acc = plus(uniform(scaled(terms.diffusion, group.weight)), lowering_.group_difference(stage_, group, array_), acc);
        if (shape.residual != 0) acc = plus(uniform(scaled(terms.diffusion, shape.residual)), b_.load(array_), acc);
    }
    acc = add_others(terms, acc);
    return acc < 0 ? b_.literal(0) : acc;
}

Value FieldRate::increment(const Rate& rate, const ExprPtr& dt, Value factor, Value before) {
    dt_ = dt;
    const SortedTerms terms = sort(rate);
    // added to +0, what is not there has no sign
    const Value source = terms.source ? uniform(add(timed(terms.source), number(0))) : b_.literal(0);
    Value acc = b_.fma(factor, before, source);
    if (is_folded(terms)) acc = b_.fma(uniform(centre(terms, nullptr)), b_.load(array_), acc);
    return add_others(terms, add_diffusion(terms, acc));
}

SortedTerms FieldRate::sort(const Rate& rate) const {
    SortedTerms sorted;
    for (const Term& term : rate.terms) {
        const bool alone = term.factors.size() == 1 && !lowering_.is_held(*term.factors[0]);  // what is held is a factor like any other
        const ExprPtr* only = alone ? &term.factors[0] : nullptr;
        if (term.factors.empty()) {
            accumulate(sorted.source, term);
        } else if (only && is_own_field(*only)) {
            accumulate(sorted.linear, term);
        } else if (only && (*only)->calls(Callee::lap) && is_own_field((*only)->args[0])) {
            accumulate(sorted.diffusion, term);
        } else if (only && is_stencil(**only)) {
            sorted.stencils.push_back(&term);
        } else {
            sorted.products.push_back(&term);
        }
    }
    return sorted;
}

// dt * coefficient, or the coefficient alone; none is 1
ExprPtr FieldRate::timed(const ExprPtr& coefficient) const {
    if (!dt_) return coefficient ? coefficient : number(1);
    return coefficient ? multiply(dt_, coefficient) : dt_;
}

ExprPtr FieldRate::scaled(const ExprPtr& coefficient, double weight) const {
    const ExprPtr product = timed(coefficient);
    return weight == 1 ? product : multiply(product, number(weight));
}

bool FieldRate::is_one(Value value) const {
    const Instruction& made = b_.code()[core::at(value)];
    return made.op == Op::literal && made.literal() == 1;
}

// acc + a*b; an acc below 0 is none yet
Value FieldRate::plus(Value a, Value b, Value acc) {
    if (is_one(a)) std::swap(a, b);
    if (is_one(b)) return acc < 0 ? a : b_.add(acc, a);
    return acc < 0 ? b_.mul(a, b) : b_.fma(a, b, acc);
}

// In the folded form the rounded weights stand in the centre coefficient too: C = 1 + r + residual - sum n_j W_j.
ExprPtr FieldRate::rounded(const ExprPtr& weight) const { return lowering_.program().f64 ? weight : call(Callee::round_single, {weight}); }

bool FieldRate::is_folded(const SortedTerms& terms) const { return terms.linear || (terms.diffusion && lowering_.shape().residual != 0); }

// `coefficient` (none is 0) and what all terms that are folded make of the coefficient of f itself.
ExprPtr FieldRate::centre(const SortedTerms& terms, ExprPtr coefficient) const {
    const LaplacianShape& shape = lowering_.shape();
    const auto more = [&](const ExprPtr& term) { coefficient = coefficient ? add(coefficient, term) : term; };
    if (terms.linear) more(timed(terms.linear));
    if (terms.diffusion && shape.residual != 0) more(scaled(terms.diffusion, shape.residual));
    if (!terms.diffusion) return coefficient;
    for (const auto& group : shape.groups) {
        if (group.count == 0) continue;
        coefficient = subtract(coefficient, multiply(number(group.count), rounded(scaled(terms.diffusion, group.weight))));
    }
    return coefficient;
}

// f + dt*(source + linear*f + diffusion*lap(f)): folded into one coefficient of f where the text has a linear term, else in delta form.
Value FieldRate::start(const SortedTerms& terms) {
    Value here = b_.load(array_);
    Value acc = -1;
    if (is_folded(terms)) {
        Value c = uniform(centre(terms, number(1)));
        acc = terms.source ? b_.fma(c, here, uniform(timed(terms.source))) : b_.mul(c, here);
    } else {
        acc = terms.source ? b_.add(here, uniform(timed(terms.source))) : here;
    }
    return add_diffusion(terms, acc);
}

Value FieldRate::add_diffusion(const SortedTerms& terms, Value acc) {
    if (!terms.diffusion) return acc;
    const bool folded = is_folded(terms);
    for (const auto& group : lowering_.shape().groups) {
        Value sum = folded ? lowering_.group_sum(stage_, group, array_) : lowering_.group_difference(stage_, group, array_);
        acc = b_.fma(uniform(scaled(terms.diffusion, group.weight)), sum, acc);
    }
    return acc;
}

Value FieldRate::add_others(const SortedTerms& terms, Value acc) {
    for (const Term* term : terms.stencils) acc = stencil_term(*term, acc);
    for (const Term* term : terms.products) acc = product_term(*term, acc);
    return acc;
}

Value FieldRate::add_scaled(const Term& term, double weight, Value value, Value acc) {
    Value w = uniform(scaled(term.coefficient, weight));
    return plus(term.negative ? b_.neg(w) : w, value, acc);
}

Value FieldRate::laplacian_term(const Term& term, Array array, Value acc) {
    const LaplacianShape& shape = lowering_.shape();
    for (const auto& group : shape.groups) acc = add_scaled(term, group.weight, lowering_.group_difference(stage_, group, array), acc);
    return shape.residual == 0 ? acc : add_scaled(term, shape.residual, b_.load(array), acc);
}

Value FieldRate::stencil_term(const Term& term, Value acc) {
    const model::Expr& expr = *term.factors[0];
    if (expr.calls(Callee::lap)) return laplacian_term(term, lowering_.operand(expr.args[0]), acc);
    if (expr.calls(Callee::bilap)) return laplacian_term(term, lowering_.operand(call(Callee::lap, {expr.args[0]}, expr.span)), acc);
    if (expr.calls(Callee::div)) {
        for (const auto& [weight, q] : lowering_.fluxes(stage_, flux_of(expr))) acc = add_scaled(term, weight, q, acc);
        return acc;
    }
    for (const auto& [weight, difference] : lowering_.derivative(stage_, expr)) acc = add_scaled(term, weight, difference, acc);
    return acc;
}

// c*p1*p2*...*pn: w = ((c*p2)*p3)*..., acc = fma(p1, w, acc), the sign folded into the fma.
Value FieldRate::product_term(const Term& term, Value acc) {
    Value w = uniform(timed(term.coefficient));
    for (std::size_t i = 1; i < term.factors.size(); ++i) w = plus(w, lowering_.value(stage_, term.factors[i]), -1);
    Value first = lowering_.value(stage_, term.factors[0]);
    return plus(term.negative ? b_.neg(first) : first, w, acc);
}

}  // namespace mottle::ir
