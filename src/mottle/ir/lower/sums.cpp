// mottle/ir/lower/sums.cpp: sums over all cells in equations: what they are of, and in which phases of a step they are formed
#include "mottle/ir/lower/sums.h"

#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>

namespace mottle::ir {

using model::Expr;
using model::ExprPtr;

ExprPtr SumTaker::take(const ExprPtr& expr) {
    if (expr->args.empty()) return expr;
    if (const auto found = known_.find(expr); found != known_.end()) return found->second;
    std::vector<ExprPtr> args;
    for (const ExprPtr& arg : expr->args) args.push_back(take(arg));
    ExprPtr result = args == expr->args ? expr : call(expr->callee, std::move(args), expr->span);
    if (is_sum(*result)) {
        const std::string name = model::print(*result);
        const bool known = std::any_of(sums_.begin(), sums_.end(), [&](const SumOver& sum) { return sum.name == name; });
        if (!known) sums_.push_back({name, result->calls(Callee::integral), result->args[0], expr->span});
        result = symbol(name);
    }
    known_.emplace(expr, result);
    return result;
}

namespace {

/// Levels of the sums that `expr` reads; -1: none.
int level_of(const Expr& expr, const System& system, const std::vector<SumPlan::Place>& places) {
    if (expr.kind == Expr::Kind::name) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (system.sums[i].name == expr.name) return places[i].level;
        }
    }
    int level = -1;
    for (const ExprPtr& arg : expr.args) level = std::max(level, level_of(*arg, system, places));
    return level;
}

}  // namespace

SumPlan plan_sums(const System& system, const Scheme& scheme) {
    using Made = SumPlan::Made;
    const Classifier classifier(system.model);
    SumPlan plan;
    if (system.sums.empty()) return plan;
    for (const SumOver& sum : system.sums) {
        const int field = classifier.field(*sum.of), inner = level_of(*sum.of, system, plan.sums);
        if (field >= 0) {
            plan.sums.push_back({Made::field, 0, field});
            continue;
        }
        const bool within = inner >= 0 || classifier.needs_neighbours(*sum.of) || classifier.is_random(*sum.of);
        const int level = within ? std::max(0, inner) + 1 : 0;
        const auto same =
            std::find_if(plan.arrays.begin(), plan.arrays.end(), [&](const ExprPtr& of) { return model::equal(*of, *sum.of); });
        plan.sums.push_back({within ? Made::within : Made::behind, level, static_cast<int>(same - plan.arrays.begin())});
        if (same == plan.arrays.end()) plan.arrays.push_back(sum.of);
        plan.levels = std::max(plan.levels, level);
    }
    if (const RungeKutta* table = scheme.table()) {
        plan.starts = table->weights.size() > 1;
        plan.weighted = std::any_of(table->weights.begin(), table->weights.end() - 1, [](double weight) { return weight != 0; });
    }
    const bool behind =
        std::any_of(plan.sums.begin(), plan.sums.end(), [](const SumPlan::Place& place) { return place.made == Made::behind; });
    plan.switched = plan.levels > 0 || plan.starts || behind;
    return plan;
}

std::vector<std::string> SumPlan::names(const System& system) const {
    std::vector<std::string> names;
    for (const model::Equation& equation : system.model.equations) {
        if (starts) names.push_back(equation.field + " at the start");
    }
    for (const model::Equation& equation : system.model.equations) {
        if (weighted) names.push_back(equation.field + " so far");
    }
    for (const ExprPtr& array : arrays) names.push_back("summed " + model::print(*array));
    return names;
}

}  // namespace mottle::ir
