// mottle/ir/lower/field_rate.h: lowers one right-hand side in a cell: as an Euler step, or as the rate alone
#pragma once
#include "mottle/ir/lower/value.h"

namespace mottle::ir {

/// The terms of one right-hand side, sorted by how they are lowered: the coefficient of the cell itself, the source, stencil terms, products.
struct SortedTerms {
    model::ExprPtr linear, diffusion, source;  // sums of signed coefficients; null if there is none
    std::vector<const Term*> stencils, products;
};

/// Lowers the terms of a right-hand side, one after another, into the stage that computes the rates.
class FieldRate {
   public:
    FieldRate(Lowering& lowering, int field);

    /// f + dt*rate, with `dt` an expression: every term is multiplied by it and added to the field.
    Value euler_step(const Rate& rate, const model::ExprPtr& dt = symbol("dt"));
    Value slope(const Rate& rate);
    /// factor*before + dt*rate, with `dt` an expression. Where the factor is 0 the sign of `before` does not matter, even where all else is 0.
    Value increment(const Rate& rate, const model::ExprPtr& dt, Value factor, Value before);

   private:
    bool is_own_field(const model::ExprPtr& expr) const { return lowering_.classifier().field(*expr) == field_; }
    SortedTerms sort(const Rate& rate) const;
    model::ExprPtr timed(const model::ExprPtr& coefficient) const;
    model::ExprPtr scaled(const model::ExprPtr& coefficient, double weight) const;
    model::ExprPtr rounded(const model::ExprPtr& weight) const;
    Value uniform(const model::ExprPtr& expr) { return lowering_.uniforms().value(b_, expr); }
    bool is_one(Value value) const;
    Value plus(Value a, Value b, Value acc);
    bool is_folded(const SortedTerms& terms) const;
    model::ExprPtr centre(const SortedTerms& terms, model::ExprPtr coefficient) const;
    Value start(const SortedTerms& terms);
    Value add_diffusion(const SortedTerms& terms, Value acc);
    Value add_others(const SortedTerms& terms, Value acc);
    Value add_scaled(const Term& term, double weight, Value value, Value acc);
    Value laplacian_term(const Term& term, Array array, Value acc);
    Value stencil_term(const Term& term, Value acc);
    Value product_term(const Term& term, Value acc);

    Lowering& lowering_;
    StageBuilder& stage_;
    Builder& b_;
    Array array_;
    int field_;
    model::ExprPtr dt_;  ///< by which every term is multiplied; null: by nothing
};

}  // namespace mottle::ir
