// mottle/ir/lower_value.h: expressions -> values of one cell of a grid; operators on expressions become held stages
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

/// One stage under construction: its code, and the values already lowered into it.
struct StageBuilder {
    StageBuilder(bool f64, int place) : level(place), code(f64) {}
    int level;  ///< held stages that run before it
    Builder code;
    std::vector<std::pair<Array, Value>> stores;
    std::map<std::pair<model::ExprPtr, Shift>, Value> known;  // owns its keys: an address must not be taken by another expression
};

class GridLowering {
   public:
    GridLowering(const System& system, const Method& method, const domain::Grid& grid);

    /// The value of `expr` in the cell `shift` away.
    Value value(StageBuilder& stage, const model::ExprPtr& expr, Shift shift = {0, 0, 0});
    /// Holds whatever the operators inside `expr` will read, so that is_held tells it before anything is lowered.
    void hold_operands(const model::ExprPtr& expr);
    bool is_held(const model::Expr& expr) const { return held_.contains(model::print(expr)); }
    /// The array an operator reads: a field or map itself, else an array held by an earlier stage.
    Array operand(const model::ExprPtr& expr);
    /// `sum` of the group of array `array`, and the group's value sum - count * centre.
    Value group_sum(StageBuilder& stage, const StencilGroup& group, Array array);
    Value group_difference(StageBuilder& stage, const StencilGroup& group, Array array);
    /// Per axis in the order z, y, x: the weight 1/(2 h^2) and q_plus + q_minus of div(conductivity * grad(potential)).
    std::vector<std::pair<double, Value>> fluxes(StageBuilder& stage, const Flux& flux);
    /// f(E) - f(W) along an axis; the derivative is this times 1/(2h).
    Value difference(StageBuilder& stage, int axis, Array array);
    bool active(int axis) const { return grid_.size[static_cast<std::size_t>(axis)] > 1; }
    double spacing(int axis) const { return grid_.spacing[static_cast<std::size_t>(axis)]; }

    Program& program() { return program_; }
    Uniforms& uniforms() { return uniforms_; }
    const Classifier& classifier() const { return classifier_; }
    const LaplacianShape& shape() const { return shape_; }
    StageBuilder& last_stage() { return last_; }
    /// Appends the held stages and the last one; call once, at the end.
    void finish();

    Array field_array(int field) const { return field; }

   private:
    Value lower(StageBuilder& stage, const model::ExprPtr& expr, Shift shift);
    Value lower_name(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_sum(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_operator(StageBuilder& stage, const model::ExprPtr& expr);
    Value laplacian(StageBuilder& stage, Array array);
    Value gradient_product(StageBuilder& stage, const model::ExprPtr& a, const model::ExprPtr& b);
    Value load(StageBuilder& stage, Array array, Shift shift);
    int level(const model::Expr& expr) const;
    int operand_level(const model::Expr& expr) const;
    Array hold(const model::ExprPtr& expr);
    int ghost_rule(const std::vector<int>& fields, bool homogeneous);
    Ghost ghost(const domain::Boundary& boundary, bool homogeneous);
    model::ExprPtr boundary_value(const domain::Boundary& boundary) const;

    const System& system_;
    const domain::Grid& grid_;
    Classifier classifier_;
    Program program_;
    Uniforms uniforms_;
    LaplacianShape shape_;
    std::map<int, Array> maps_;
    std::map<std::string, Array> held_;
    std::deque<StageBuilder> stages_;  // held stages by level
    StageBuilder last_;
    bool still_ = false;
};

}  // namespace mottle::ir
