// mottle/ir/lower/tensor.h: tensor(along, across, dir) on a surface: the edge weights that are computed before the first step, and what stays in the equations
#pragma once
#include "mottle/ir/lower/classify.h"

#include <string>
#include <string_view>
#include <vector>

namespace mottle::ir {

/// The inputs of the weights of one tensor. The direction is three expressions of position, or one attr("name").
struct Tensor {
    std::string name;              ///< equal for equal tensors; of the weights in domain::Mesh::tensors
    model::ExprPtr along, across;  ///< expressions of position
    std::vector<model::ExprPtr> direction;
    core::Span span;
};
/// `directed`: a call of Callee::directed, a tensor in normal form.
Tensor tensor_of(const model::Expr& directed);
/// Those that the equations of a model need, each once, in order of appearance.
std::vector<Tensor> tensors_of(const model::Model& model);

/// Writes div(c*tensor(a, b, dir)*grad(f)) by weights that stay the same when parameters change:
/// b*div(c*grad(f)) + (a - b)*div(c*directed(1, 0, dir)*grad(f)) where a and b are uniform, else div(c*directed(a, b, dir)*grad(f)).
model::ExprPtr split_tensors(const model::ExprPtr& rate, const Classifier& classifier);

}  // namespace mottle::ir
