// mottle/ir/lower/implicit.cpp: takes the diffusion with constant coefficients out of a system
#include "mottle/ir/lower/implicit.h"

#include "mottle/core/error.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>

namespace mottle::ir {
namespace {

/// c*lap(f) in the equation of field number `field`, f.
bool is_own_diffusion(const Term& term, const Classifier& classifier, int field) {
    return term.factors.size() == 1 && term.factors[0]->calls(Callee::lap) && classifier.field(*term.factors[0]->args[0]) == field;
}

const char* why_not(const domain::Boundary& boundary) {
    switch (boundary.rule) {
        case domain::Rule::still:
            return "the border rule still";
        case domain::Rule::periodic:
        case domain::Rule::no_flux:
        case domain::Rule::value:
        case domain::Rule::outside:
        case domain::Rule::flux:
        case domain::Rule::robin:
            return nullptr;
    }
    return nullptr;
}

}  // namespace

void require_solvable(const domain::Domain& domain, const model::Model& model, const Method& method) {
    const auto refuse = [&](const std::string& what) {
        throw core::InputError("--method " + method.name + " cannot solve for diffusion with " + what + "; use rkl1 or rkl2");
    };
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) {
        for (const model::Equation& equation : model.equations) {
            for (const domain::Boundary& loop : mesh->loops_of(equation.field)) {
                if (loop.rule == domain::Rule::value) refuse("a value on a boundary loop");
            }
        }
        return;
    }
    const auto& grid = std::get<domain::Grid>(domain);
    if (grid.stencil.kind != domain::Stencil::Kind::five) refuse("a stencil other than the one of 5 points, axis by axis");
    for (const model::Equation& equation : model.equations) {
        for (const domain::Boundary& side : grid.sides_of(equation.field)) {
            if (const char* rule = why_not(side)) refuse(rule);
        }
    }
}

SplitSystem split_diffusion(const System& system, const Method& method) {
    if (!system.sums.empty()) {
        throw core::ModelError("--method " + method.name + " cannot step equations with " + system.sums.front().name +
                                   ", a sum over all cells; use rkl1 or rkl2",
                               system.sums.front().span);
    }
    const Classifier classifier(system.model);
    SplitSystem split{system, {}};
    bool any = false;
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        const int field = static_cast<int>(i);
        model::ExprPtr sum;
        std::vector<Term>& terms = split.rest.rates[i].terms;
        for (const Term& term : terms) {
            if (!is_own_diffusion(term, classifier, field)) continue;
            const model::ExprPtr factor = term.coefficient ? term.coefficient : number(1);
            if (reads_time(*factor)) {
                throw core::ModelError("the diffusion of " + system.rates[i].field + " changes with t, and --method " + method.name +
                                           " factors its matrix once; use rkl1 or rkl2",
                                       term.factors[0]->span);
            }
            sum =
                !sum ? (term.negative ? subtract(number(0), factor) : factor) : (term.negative ? subtract(sum, factor) : add(sum, factor));
        }
        std::erase_if(terms, [&](const Term& term) { return is_own_diffusion(term, classifier, field); });
        if (sum) split.rest.model.equations[i].rate = sum_of(terms);
        any = any || sum;
        split.constant.push_back(std::move(sum));
    }
    if (!any) {
        throw core::ModelError("--method " + method.name +
                                   " solves for diffusion D*lap(f) of each field f with D a number or a parameter, and no equation "
                                   "has such a term; use euler, rkl1 or rkl2",
                               system.model.equations.front().rate->span);
    }
    return split;
}

}  // namespace mottle::ir
