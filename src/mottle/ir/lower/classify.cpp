// mottle/ir/lower/classify.cpp: what an expression depends on
#include "mottle/ir/lower/classify.h"

#include "mottle/core/index.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>
#include <array>
#include <functional>

namespace mottle::ir {

using model::Expr;

namespace {

constexpr std::array kCoordinates = {"x", "y", "z", "X", "Y", "Z"};

template <class List>
bool contains(const List& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_white(const Expr& expr) { return expr.calls(Callee::white); }

// Expressions share sub-trees, but checked models bound their size, so a plain walk is fine.
bool any(const Expr& expr, const std::function<bool(const Expr&)>& test) {
    return test(expr) || std::any_of(expr.args.begin(), expr.args.end(), [&](const auto& arg) { return any(*arg, test); });
}

}  // namespace

Classifier::Classifier(const model::Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.equations.size(); ++i) symbols_[model.equations[i].field] = {Kind::field, static_cast<int>(i)};
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const auto& parameter = model.parameters[i];
        symbols_[parameter.name] = {parameter.map ? Kind::map : Kind::uniform, static_cast<int>(i)};
    }
}

bool Classifier::is_uniform(const Expr& expr) const {
    if (is_sum(expr)) return true;
    if (reads_neighbours(expr) || is_white(expr)) return false;
    if (expr.kind == Expr::Kind::name) {
        auto found = symbols_.find(expr.name);
        return found == symbols_.end() ? !contains(kCoordinates, expr.name) : found->second.kind == Kind::uniform;
    }
    return std::all_of(expr.args.begin(), expr.args.end(), [this](const auto& arg) { return is_uniform(*arg); });
}

bool Classifier::needs_neighbours(const Expr& expr) const { return any(expr, reads_neighbours); }

bool Classifier::is_random(const Expr& expr) const { return any(expr, is_white); }

int Classifier::field(const Expr& expr) const {
    if (expr.kind != Expr::Kind::name) return -1;
    auto found = symbols_.find(expr.name);
    return found != symbols_.end() && found->second.kind == Kind::field ? found->second.index : -1;
}

int Classifier::map(const Expr& expr) const {
    if (expr.kind != Expr::Kind::name) return -1;
    auto found = symbols_.find(expr.name);
    return found != symbols_.end() && found->second.kind == Kind::map ? found->second.index : -1;
}

std::array<bool, 3> Classifier::axes(const Expr& map) const {
    std::array<bool, 3> result{};
    const std::function<bool(const Expr&)> varies = [&](const Expr& e) {
        if (e.kind == Expr::Kind::call) {
            const model::Use use = e.calls(Callee::none) ? model::Use::internal : model::function_of(e.callee).use;
            if (use != model::Use::arithmetic && use != model::Use::pointwise) result = {true, true, true};
        } else if (const int other = this->map(e); other >= 0) {
            if (!axes_.contains(other)) {  // once, however often it is used: each of a chain of maps may use the one before it twice
                const std::array<bool, 3> of_other = axes(*model_.parameters[core::at(other)].map);
                axes_.emplace(other, of_other);
            }
            const std::array<bool, 3>& more = axes_.at(other);
            for (std::size_t d = 0; d < result.size(); ++d) result[d] = result[d] || more[d];
        } else if (e.kind == Expr::Kind::name && !symbols_.contains(e.name)) {
            for (std::size_t at = 0; at < kCoordinates.size(); ++at) {
                if (e.name == kCoordinates[at]) result[at % result.size()] = true;
            }
        }
        return false;
    };
    any(map, varies);
    return result;
}

std::vector<int> Classifier::fields(const Expr& expr) const {
    std::vector<int> found;
    any(expr, [&](const Expr& e) {
        if (int i = field(e); i >= 0) found.push_back(i);
        return false;
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool is_sum(const Expr& expr) { return expr.calls(Callee::mean) || expr.calls(Callee::integral); }

const Expr* find_call(const Expr& expr, model::Callee callee) {
    if (expr.calls(callee)) return &expr;
    for (const auto& arg : expr.args) {
        if (const Expr* found = find_call(*arg, callee)) return found;
    }
    return nullptr;
}

bool has_noise(const model::Model& model) {
    const Classifier classifier(model);
    return std::any_of(model.equations.begin(), model.equations.end(),
                       [&](const model::Equation& equation) { return classifier.is_random(*equation.rate); });
}

}  // namespace mottle::ir
