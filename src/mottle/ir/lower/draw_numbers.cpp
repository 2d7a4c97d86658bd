// mottle/ir/lower/draw_numbers.cpp: numbers the random draws of a model by the place of each call in its file
#include "mottle/ir/lower/draw_numbers.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace mottle::ir {

using model::Callee;
using model::Expr;
using model::function_of;
using model::Use;

namespace {

constexpr std::uint32_t kMostDraws = 1u << 18;  // of one cell in one step: the counter of ir::uniform_draw

}  // namespace

std::uint32_t draws_of(const Expr& expr) {
    return !expr.calls(Callee::none) && function_of(expr.callee).use == Use::source ? function_of(expr.callee).draws : 0;
}

std::uint32_t steps_draws_of(const Expr& expr) {
    return !expr.calls(Callee::none) && function_of(expr.callee).use == Use::stochastic ? function_of(expr.callee).draws : 0;
}

bool draws_numbers(const Expr& expr) {
    return draws_of(expr) > 0 || std::any_of(expr.args.begin(), expr.args.end(), [](const auto& arg) { return draws_numbers(*arg); });
}

DrawNumbers::Place DrawNumbers::place_of(const core::Span& span) const {
    const auto file = core::at(std::find(files_.begin(), files_.end(), span.file) - files_.begin());
    return {span.line == 0, file, span.line, span.column};  // a flag has no line
}

DrawNumbers::DrawNumbers(const model::Model& model, Count count) : count_(count) {
    std::vector<const Expr*> open;
    for (const auto& equation : model.equations) {
        open.push_back(equation.rate.get());
        open.push_back(equation.initial.get());
    }
    for (const auto& parameter : model.parameters) open.push_back(parameter.map.get());
    std::unordered_set<const Expr*> seen = {nullptr};
    while (!open.empty()) {
        const Expr* expr = open.back();
        open.pop_back();
        if (!seen.insert(expr).second) continue;
        if (const std::uint32_t taken = count_(*expr)) {
            if (std::find(files_.begin(), files_.end(), expr->span.file) == files_.end()) files_.push_back(expr->span.file);
            first_[place_of(expr->span)] = taken;
        }
        for (const auto& arg : expr->args) open.push_back(arg.get());
    }
    std::uint32_t next = 0;
    for (auto& [place, number] : first_) {
        const std::uint32_t taken = number;
        number = next;
        next += taken;
    }
}

std::uint32_t DrawNumbers::first(const Expr& call) const {
    auto found = first_.find(place_of(call.span));
    if (found == first_.end()) throw core::InternalError("'" + call.name + "' stands in no expression of its model");
    if (found->second + count_(call) > kMostDraws) {
        throw core::ModelError("the model has too many random calls; a cell has " + core::grouped(kMostDraws) +
                                   " draws, noise and white take one and spots three",
                               call.span);
    }
    return found->second;
}

}  // namespace mottle::ir
