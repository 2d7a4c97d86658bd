// mottle/ir/lower/value.h: expressions -> values of one cell; operators on expressions become held stages; each kind of domain defines its operators
#pragma once
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/laplacian.h"
#include "mottle/ir/lower/rewrite.h"
#include "mottle/ir/lower/system.h"
#include "mottle/ir/program/uniforms.h"

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
    /// Holds every white() of `expr` for all stages of the method, which see one number each.
    void hold_noise(const model::ExprPtr& expr);
    /// The value of `expr`, which reads no neighbours, if the fields have these values.
    Value value_of(StageBuilder& stage, const model::ExprPtr& expr, std::vector<Value> fields);
    /// Holds everything that the operators inside `expr` will read, so that is_held is right before anything is lowered.
    void hold_operands(const model::ExprPtr& expr);
    bool is_held(const model::Expr& expr) const { return held_.contains(model::print(expr)); }
    /// The array an operator reads: a field or map itself, an expression that is evaluated in every cell that the operator reads (see in_place), else an array held by an earlier stage.
    Array operand(const model::ExprPtr& expr);
    /// `sum` of the group of array `array`, and the group's value sum - count * centre.
    Value group_sum(StageBuilder& stage, const StencilGroup& group, Array array);
    Value group_difference(StageBuilder& stage, const StencilGroup& group, Array array);
    /// div(conductivity * grad(potential)) is the sum of these.
    virtual std::vector<Weighted> fluxes(StageBuilder& stage, const Flux& flux) = 0;
    /// dx, dy or dz of an expression; empty along an axis that takes no part. Throws: ModelError where the domain has no such operator.
    virtual std::vector<Weighted> derivative(StageBuilder& stage, const model::Expr& expr) = 0;
    /// white(): normal number `number` by the root of dt and of the measure of a cell.
    virtual Value white(StageBuilder& stage, std::uint32_t number) = 0;
    /// Applies the boundary rules at `time` to the new value of a field, after all equations.
    virtual Value bordered(StageBuilder& stage, int field, Value next, const model::ExprPtr& time) = 0;

    Program& program() { return program_; }
    Uniforms& uniforms() { return uniforms_; }
    const Classifier& classifier() const { return classifier_; }
    const LaplacianShape& shape() const { return shape_; }
    /// The stage in which the rates are evaluated, after the stages that hold what their operators read.
    StageBuilder& rates() { return rates_; }
    /// Declares an array that holds a field as the next stage of the method begins with it, at `time`.
    Array hold_field(int field, const model::ExprPtr& time);
    /// Appends the stage of the rates, and those that hold what it reads.
    void finish_rates(const std::string& name);
    /// The same twice: with the stores of the stage, and as Program::flush_step with others of the same code, if they differ.
    void finish_rates(const std::string& name, const std::vector<std::pair<Array, Value>>& at_seam);
    /// Begins the next stage of the method, which reads the fields from these arrays, as they are at `time`.
    void begin_rates(std::vector<Array> fields, const model::ExprPtr& time);

    Array field_array(int field) const { return fields_[core::at(field)]; }

   protected:
    Lowering(const System& system, const Method& method, LaplacianShape shape);
    /// Declares states and maps; for constructors, since ghost_rule is the domain's.
    void declare_arrays(bool grid);
    virtual int ghost_rule(const std::vector<int>& fields, bool homogeneous) = 0;
    /// The ghost rule of a conductivity or of an operator in it: mirror, or wrap where all these fields wrap.
    virtual int mirrored_rule(const std::vector<int>& fields) = 0;
    virtual Value load(StageBuilder& stage, Array array, Shift shift) = 0;
    /// A normal random number for this step and the cell that these whole numbers identify.
    Value normal(StageBuilder& stage, const std::array<Value, 3>& cell, std::uint32_t number);
    /// 1/sqrt(dt measure)
    Value noise_scale(StageBuilder& stage, double measure);
    /// dot(grad(f), grad(g)) of two arrays.
    virtual Value gradient_product(StageBuilder& stage, Array f, Array g) = 0;
    /// Whether an operator evaluates `operand` in the neighbours themselves, with the ghosts of its fields, since no rule for ghosts of the whole says the same.
    virtual bool is_in_place(const model::Expr& operand) const = 0;
    /// What the operators of a grid read: such an operand has a number below 0.
    static bool is_in_place(Array array) { return array < 0; }
    const model::ExprPtr& in_place(Array array) const { return in_place_[core::at(-1 - array)]; }
    /// Whether an operator reads this varying conductivity from an array of an earlier stage.
    virtual bool holds(const model::Expr& conductivity) const = 0;
    Array hold(const model::ExprPtr& expr);
    /// Holds each operator and white() of a conductivity by itself, with ghosts that mirror, so that the rest can be evaluated in ghost cells.
    void hold_parts(const model::ExprPtr& conductivity);
    /// The value of `expr` in the cell `shift` away where these maps, by their place among the parameters, have these values.
    Value value_with_maps(StageBuilder& stage, const model::ExprPtr& expr, Shift shift, std::map<int, Value> maps);
    Array map_array(int map) const { return maps_.at(map); }

    const System& system_;
    Classifier classifier_;
    Program program_;
    Uniforms uniforms_;
    model::ExprPtr time_;  ///< at which boundaries are taken

   private:
    Value lower(StageBuilder& stage, const model::ExprPtr& expr, Shift shift);
    Value lower_name(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_sum(StageBuilder& stage, const model::Expr& expr, Shift shift);
    Value lower_operator(StageBuilder& stage, const model::ExprPtr& expr);
    Value laplacian(StageBuilder& stage, Array array);
    Value scaled_gradient_product(StageBuilder& stage, const model::ExprPtr& a, const model::ExprPtr& b);
    Value directed_divergence(StageBuilder& stage, Flux flux);
    Value sum_of(StageBuilder& stage, const std::vector<Weighted>& terms);
    Array hold_as(std::string text, const model::ExprPtr& expr, int ghosts);
    int level(const model::Expr& expr) const;
    int operand_level(const model::Expr& expr) const;

    LaplacianShape shape_;
    std::map<int, Array> maps_;
    std::vector<model::ExprPtr> in_place_;
    std::map<std::string, Array> held_;   // by this stage of the method
    std::map<std::string, Array> noise_;  // by its first stage for all
    static std::string name_of(const std::string& what, int stage) {
        return stage == 1 ? what : what + " of stage " + std::to_string(stage);
    }

    std::vector<std::string> beside_;  // states that are no fields
    std::vector<Value> given_;         // what the fields are, if not what their arrays hold
    std::map<int, Value> given_maps_;  // the same of maps
    int stage_ = 1;                    // of the method
    std::vector<Array> fields_;        // where they are read from
    std::deque<StageBuilder> stages_;  // held stages by level
    StageBuilder rates_;
};

}  // namespace mottle::ir
