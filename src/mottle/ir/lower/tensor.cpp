// mottle/ir/lower/tensor.cpp: finds the tensors of equations and takes uniform diffusivities out of them
#include "mottle/ir/lower/tensor.h"

#include "mottle/ir/lower/rewrite.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace mottle::ir {

using model::Expr;
using model::ExprPtr;

namespace {

bool is_zero(const Expr& expr) { return expr.kind == Expr::Kind::number && expr.number == 0; }

class Splitter {
   public:
    explicit Splitter(const Classifier& classifier) : classifier_(classifier) {}

    // Trees are shared after [define]: each node is written once.
    ExprPtr split(const ExprPtr& expr) {
        if (expr->kind != Expr::Kind::call || expr->calls(Callee::tensor)) return expr;
        if (const auto found = known_.find(expr); found != known_.end()) return found->second;
        std::vector<ExprPtr> args;
        for (const ExprPtr& arg : expr->args) args.push_back(split(arg));
        const ExprPtr same = args == expr->args ? expr : call(expr->callee, std::move(args), expr->span);
        ExprPtr result = same->calls(Callee::div) ? split_divergence(same) : same;
        known_.emplace(expr, result);
        return result;
    }

   private:
    ExprPtr split_divergence(const ExprPtr& divergence) const {
        const Flux flux = flux_of(*divergence);
        if (!flux.tensor) return divergence;
        const std::vector<ExprPtr>& args = flux.tensor->args;
        const ExprPtr &along = args[0], &across = args[1];
        if (!classifier_.is_uniform(*along) || !classifier_.is_uniform(*across))
            return divergence_of(flux, directed(flux, along, across), *divergence);
        const ExprPtr line = divergence_of(flux, directed(flux, number(1), number(0)), *divergence);
        if (is_zero(*across)) return multiply(along, line);
        return add(multiply(across, divergence_of(flux, nullptr, *divergence)), multiply(subtract(along, across), line));
    }

    static ExprPtr directed(const Flux& flux, const ExprPtr& along, const ExprPtr& across) {
        std::vector<ExprPtr> args = {along, across};
        args.insert(args.end(), flux.tensor->args.begin() + 2, flux.tensor->args.end());
        return call(Callee::directed, std::move(args), flux.tensor->span);
    }

    static ExprPtr divergence_of(const Flux& flux, const ExprPtr& tensor, const Expr& divergence) {
        ExprPtr vector = call(Callee::grad, {flux.potential}, divergence.span);
        if (tensor) vector = multiply(tensor, vector);
        if (flux.conductivity) vector = multiply(flux.conductivity, vector);
        return call(Callee::div, {vector}, divergence.span);
    }

    const Classifier& classifier_;
    std::unordered_map<ExprPtr, ExprPtr> known_;  // owns its keys
};

void collect(const Expr& expr, std::unordered_set<const Expr*>& seen, std::vector<Tensor>& found) {
    if (!seen.insert(&expr).second) return;
    if (expr.calls(Callee::directed)) {
        Tensor tensor = tensor_of(expr);
        if (std::none_of(found.begin(), found.end(), [&](const Tensor& t) { return t.name == tensor.name; }))
            found.push_back(std::move(tensor));
        return;
    }
    for (const ExprPtr& arg : expr.args) collect(*arg, seen, found);
}

}  // namespace

Tensor tensor_of(const Expr& directed) {
    return {model::print(directed), directed.args[0], directed.args[1], {directed.args.begin() + 2, directed.args.end()}, directed.span};
}

std::vector<Tensor> tensors_of(const model::Model& model) {
    const Classifier classifier(model);
    std::vector<Tensor> found;
    for (const model::Equation& equation : model.equations) {
        const ExprPtr rate = split_tensors(equation.rate, classifier);
        std::unordered_set<const Expr*> seen;
        collect(*rate, seen, found);
    }
    return found;
}

ExprPtr split_tensors(const ExprPtr& rate, const Classifier& classifier) { return Splitter(classifier).split(rate); }

}  // namespace mottle::ir
