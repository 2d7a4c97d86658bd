// mottle/ir/program/uniforms.h: subexpressions of parameters, dt and t alone become Uniforms, which the host computes in f64
#pragma once
#include "mottle/ir/program/builder.h"
#include "mottle/model/model.h"

#include <string>
#include <unordered_map>

namespace mottle::ir {

/// The value of an expression of numbers, pi and `inputs`, which Op::uniform reads by their index.
Value lower_uniform(Builder& builder, const model::Expr& expr, const std::unordered_map<std::string, int>& inputs);

class Uniforms {
   public:
    /// Fills `program.inputs` with dt, t and the parameters of `model`; adds to `program.uniforms`.
    Uniforms(Program& program, const model::Model& model);

    /// The index of an input beside those; `name` is what expressions call it.
    int add_input(const std::string& name);
    /// The index of the uniform with this value; equal texts share one.
    int index(const model::ExprPtr& expr);
    /// A part of the key of the step (ir/functions/white_noise.h), which becomes an input of the program.
    Value key_part(Builder& builder, std::size_t part);
    /// A literal where the expression holds numbers alone, else a uniform.
    Value value(Builder& builder, const model::ExprPtr& expr);

   private:
    Code lower(const model::Expr& expr) const;

    Program& program_;
    std::unordered_map<std::string, int> inputs_;
    std::unordered_map<std::string, int> known_;
};

}  // namespace mottle::ir
