// mottle/ir/program/uniforms.cpp: parameters, dt and t -> f64 host code of uniforms
#include "mottle/ir/program/uniforms.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/call.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/lower/rewrite.h"
#include "mottle/ir/functions/white_noise.h"

#include <algorithm>
#include <numbers>

namespace mottle::ir {

using model::Expr;
using model::ExprPtr;

namespace {

bool is_constant(const Expr& expr) {
    if (expr.kind == Expr::Kind::name) return expr.name == "pi";
    return std::all_of(expr.args.begin(), expr.args.end(), [](const ExprPtr& arg) { return is_constant(*arg); });
}

bool reads_step(const Expr& expr) {
    if (expr.kind == Expr::Kind::name) return is_input_of_step(expr.name);
    return std::any_of(expr.args.begin(), expr.args.end(), [](const ExprPtr& arg) { return reads_step(*arg); });
}

}  // namespace

Value lower_uniform(Builder& b, const Expr& expr, const std::unordered_map<std::string, int>& inputs) {
    if (expr.kind == Expr::Kind::number) return b.literal(expr.number);
    if (expr.kind == Expr::Kind::name) {
        if (expr.name == "pi") return b.literal(std::numbers::pi);
        auto found = inputs.find(expr.name);
        if (found == inputs.end()) throw core::InternalError("no uniform is named '" + expr.name + "'");
        return b.uniform(found->second);
    }
    std::vector<Value> args;
    for (const auto& arg : expr.args) args.push_back(lower_uniform(b, *arg, inputs));
    return lower_call(b, expr, args);
}

Uniforms::Uniforms(Program& program, const model::Model& model) : program_(program) {
    program.inputs = {"dt", "t"};
    for (const auto& parameter : model.parameters) program.inputs.push_back(parameter.name);
    for (std::size_t i = 0; i < program.inputs.size(); ++i) inputs_[program.inputs[i]] = static_cast<int>(i);
    program.parameter_end = static_cast<int>(program.inputs.size());
}

Code Uniforms::lower(const Expr& expr) const {
    Builder builder(true);
    return builder.code_of(lower_uniform(builder, expr, inputs_));
}

int Uniforms::add_input(const std::string& name) {
    const auto [known, fresh] = inputs_.try_emplace(name, static_cast<int>(program_.inputs.size()));
    if (fresh) program_.inputs.push_back(name);
    return known->second;
}

int Uniforms::index(const ExprPtr& expr) {
    std::string text = model::print(*expr);
    auto found = known_.find(text);
    if (found != known_.end()) return found->second;
    int index = static_cast<int>(program_.uniforms.size());
    program_.uniforms.push_back({text, lower(*expr), reads_step(*expr)});
    known_.emplace(std::move(text), index);
    return index;
}

Value Uniforms::key_part(Builder& builder, std::size_t part) {
    const std::string name = key_input(part);
    if (inputs_.try_emplace(name, static_cast<int>(program_.inputs.size())).second) program_.inputs.push_back(name);
    return builder.uniform(index(symbol(name)));
}

Value Uniforms::value(Builder& builder, const ExprPtr& expr) {
    if (is_constant(*expr)) return builder.literal(evaluate(lower(*expr), {}));
    return builder.uniform(index(expr));
}

}  // namespace mottle::ir
