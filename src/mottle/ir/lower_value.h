// mottle/ir/lower_value.h: expressions -> values of one cell; operators on expressions become held stages; what a domain's operators are is its own
#pragma once
#include "mottle/ir/classify.h"
#include "mottle/ir/rewrite.h"
#include "mottle/ir/stencil.h"
#include "mottle/ir/system.h"
#include "mottle/ir/uniforms.h"

#include <deque>
#include <map>
#include <memory>
#include <string>

namespace mottle::ir {

using Shift = std::array<int, 3>;
inline constexpr Shift kHere = {0, 0, 0};

/// One stage under construction: its code, and the values already lowered into it.
struct StageBuilder {
    StageBuilder(bool f64, int place) : level(place), code(f64) {}
    int level;  ///< held stages that run before it
    Builder code;
    std::vector<std::pair<Array, Value>> stores;
    std::map<std::pair<model::ExprPtr, Shift>, Value> known;  // owns its keys: an address must not be taken by another expression
};

/// A multiple of a value: weight * value.
struct Weighted {
    double weight = 1;
    Value value = -1;
};

class Lowering {
   public:
    virtual ~Lowering() = default;

    /// The value of `expr` in the cell `shift` away.
    Value value(StageBuilder& stage, const model::ExprPtr& expr, Shift shift = kHere);
    /// Holds whatever the operators inside `expr` will read, so that is_held tells it before anything is lowered.
    void hold_operands(const model::ExprPtr& expr);
    bool is_held(const model::Expr& expr) const { return held_.contains(model::print(expr)); }
    /// The array an operator reads: a field or map itself, else an array held by an earlier stage.
    Array operand(const model::ExprPtr& expr);
    /// `sum` of the group of array `array`, and the group's value sum - count * centre.
    Value group_sum(StageBuilder& stage, const StencilGroup& group, Array array);
    Value group_difference(StageBuilder& stage, const StencilGroup& group, Array array);
    /// div(conductivity * grad(potential)) is the sum of these.
    virtual std::vector<Weighted> fluxes(StageBuilder& stage, const Flux& flux) = 0;
    /// dx, dy or dz of an expression; empty along an axis that takes no part. Throws: ModelError where the domain has no such operator.
    virtual std::vector<Weighted> derivative(StageBuilder& stage, const model::Expr& expr) = 0;
    /// What the border of the domain makes of the new value of a field, after all equations.
    virtual Value bordered(StageBuilder& stage, int field, Value next) = 0;

    Program& program() { return program_; }
    Uniforms& uniforms() { return uniforms_; }
    const Classifier& classifier() const { return classifier_; }
    const LaplacianShape& shape() const { return shape_; }
    StageBuilder& last_stage() { return last_; }
    /// Appends the held stages and the last one; call once, at the end.
    void finish();

    Array field_array(int field) const { return field; }

   protected:
    Lowering(const System& system, const Method& method, LaplacianShape shape);
    /// Declares states and maps; for constructors, since ghost_rule is the domain's.
    void declare_arrays(bool grid);
    virtual int ghost_rule(const std::vector<int>& fields, bool homogeneous) = 0;
    virtual Value load(StageBuilder& stage, Array array, Shift shift) = 0;
    /// dot(grad(f), grad(g)) of two arrays.
    virtual Value gradient_product(StageBuilder& stage, Array f, Array g) = 0;
    /// Whether an operator reads this varying conductivity from an array of an earlier stage.
    virtual bool holds(const model::Expr& conductivity) const = 0;
    Array hold(const model::ExprPtr& expr);

    const System& system_;
    Classifier classifier_;
    Program program_;
    Uniforms uniforms_;

   private:
    Value lower(StageBuilder& stage, const model::ExprPtr& expr, Shift shift);
    Value lower_name(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_sum(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_operator(StageBuilder& stage, const model::ExprPtr& expr);
    Value laplacian(StageBuilder& stage, Array array);
    Value scaled_gradient_product(StageBuilder& stage, const model::ExprPtr& a, const model::ExprPtr& b);
    Value directed_divergence(StageBuilder& stage, Flux flux);
    Value sum_of(StageBuilder& stage, const std::vector<Weighted>& terms);
    int level(const model::Expr& expr) const;
    int operand_level(const model::Expr& expr) const;

    LaplacianShape shape_;
    std::map<int, Array> maps_;
    std::map<std::string, Array> held_;
    std::deque<StageBuilder> stages_;  // held stages by level
    StageBuilder last_;
};

}  // namespace mottle::ir
