// mottle/model/substitute.cpp: [define] names -> their expressions
#include "mottle/model/substitute.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/model/parse.h"

#include <algorithm>
#include <utility>

namespace mottle::model {

void Definitions::add(const std::string& name, ExprPtr expr) {
    if (entries_.emplace(name, Entry{std::move(expr), {}}).second) names_.push_back(name);
}

ExprPtr Definitions::expand(const ExprPtr& expr) {
    Sized result = substitute(expr, 0);
    total_ += result.nodes;
    if (total_ > kMostNodes) {
        throw core::ModelError("with all definitions substituted, the expressions of this model have more than " +
                                   core::grouped(static_cast<long long>(kMostNodes)) +
                                   " parts; let the definitions use each other less often",
                               expr->span);
    }
    return result.expr;
}

ExprPtr Definitions::expand_definition(const std::string& name) {
    Expr use{};
    use.kind = Expr::Kind::name;
    use.name = name;
    use.span = entries_.at(name).raw->span;
    return expand(std::make_shared<const Expr>(std::move(use)));
}

Definitions::Sized Definitions::substitute(const ExprPtr& expr, int above) {
    if (above >= kDeepestTree) {
        throw core::ModelError(
            "with all definitions substituted, this expression is nested beyond " + std::to_string(kDeepestTree) + " levels", expr->span);
    }
    if (expr->kind == Expr::Kind::name) {
        const auto found = entries_.find(expr->name);
        if (found == entries_.end()) return {expr, 1, 1};
        const Sized& sized = definition(found->second, *expr, above);
        if (above + sized.depth > kDeepestTree) {
            throw core::ModelError(
                "with all definitions substituted, this expression is nested beyond " + std::to_string(kDeepestTree) + " levels",
                expr->span);
        }
        return sized;
    }
    if (expr->args.empty()) return {expr, 1, 1};
    Sized result{expr, 1, 1};
    std::vector<ExprPtr> args;
    bool changed = false;
    for (const ExprPtr& arg : expr->args) {
        const Sized sized = substitute(arg, above + 1);
        changed = changed || sized.expr != arg;
        args.push_back(sized.expr);
        result.nodes = std::min(result.nodes + sized.nodes, kMostNodes + 1);
        result.depth = std::max(result.depth, sized.depth + 1);
    }
    if (changed) {
        Expr copy = *expr;
        copy.args = std::move(args);
        result.expr = std::make_shared<const Expr>(std::move(copy));
    }
    return result;
}

const Definitions::Sized& Definitions::definition(Entry& entry, const Expr& use, int above) {
    if (entry.expanded.expr) return entry.expanded;
    const auto circle = std::find(active_.begin(), active_.end(), use.name);
    if (circle != active_.end()) {
        std::string names;
        for (auto name = circle; name != active_.end(); ++name) names += *name + " -> ";
        throw core::ModelError("the definitions depend on each other in a circle: " + names + use.name, use.span);
    }
    active_.push_back(use.name);
    entry.expanded = substitute(entry.raw, above + 1);
    active_.pop_back();
    return entry.expanded;
}

}  // namespace mottle::model
