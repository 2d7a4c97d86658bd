// mottle/ir/lower/linear_part.cpp: takes the linear part with constant coefficients out of a system
#include "mottle/ir/lower/linear_part.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/lower/classify.h"
#include "mottle/ir/lower/laplacian.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>
#include <utility>

namespace mottle::ir {
namespace {

using model::ExprPtr;

class LinearTerms {
   public:
    LinearTerms(const Classifier& classifier, int field) : classifier_(classifier), field_(field) {}

    /// What is left of terms inside `level` Laplacians, all of it multiplied by `outside` (null: 1).
    std::vector<Term> take(const std::vector<Term>& terms, std::size_t level, bool negative, const ExprPtr& outside) {
        std::vector<Term> left;
        for (const Term& term : terms) {
            const ExprPtr coefficient = product(outside, term.coefficient);
            const bool sign = negative != term.negative, constant = !coefficient || !reads_time(*coefficient);
            if (!constant || term.factors.size() != 1) {
                left.push_back(term);
                continue;
            }
            const model::Expr& factor = *term.factors[0];
            const std::size_t deeper = factor.calls(Callee::lap) ? 1 : factor.calls(Callee::bilap) ? 2 : 0;
            if (classifier_.field(factor) == field_) {
                put(level, sign, coefficient);
            } else if (deeper > 0) {
                const std::vector<Term> inside = terms_of(factor.args[0], classifier_);
                const PowersOfLaplacian before = powers_;
                std::vector<Term> rest = take(inside, level + deeper, sign, coefficient);
                if (powers_ == before) {
                    left.push_back(term);
                } else if (!rest.empty()) {
                    left.push_back({term.negative, term.coefficient, {call(factor.callee, {sum_of(rest)}, factor.span)}});
                }
            } else {
                left.push_back(term);
            }
        }
        return left;
    }

    PowersOfLaplacian powers() && { return std::move(powers_); }

   private:
    static ExprPtr product(const ExprPtr& a, const ExprPtr& b) { return !a ? b : !b ? a : multiply(a, b); }

    void put(std::size_t power, bool negative, const ExprPtr& coefficient) {
        if (powers_.size() <= power) powers_.resize(power + 1);
        const ExprPtr value = coefficient ? coefficient : number(1);
        ExprPtr& sum = powers_[power];
        if (!sum)
            sum = negative ? call(Callee::negate, {value}) : value;
        else
            sum = negative ? subtract(sum, value) : add(sum, value);
    }

    const Classifier& classifier_;
    int field_;
    PowersOfLaplacian powers_;
};

constexpr const char* kOthers = "; use imex, rkl1, rkl2 or rk4";

/// lap(f) is the same seen in a mirror across each axis, as waves are.
bool is_mirror_symmetric(const std::vector<StencilTap>& taps) {
    return std::all_of(taps.begin(), taps.end(), [&](const StencilTap& tap) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::array<int, 3> mirrored = tap.shift;
            mirrored[axis] = -mirrored[axis];
            const auto same = [&](const StencilTap& other) { return other.shift == mirrored && other.weight == tap.weight; };
            if (std::none_of(taps.begin(), taps.end(), same)) return false;
        }
        return true;
    });
}

void require_cells(core::Index cells, std::size_t axis, const Method& method) {
    if (is_transformable(cells)) return;
    core::Index below = cells, above = cells;
    while (!is_transformable(below)) --below;
    while (!is_transformable(above)) ++above;
    throw core::InputError("--method " + method.name + " transforms lines of 2^a 3^b 5^c cells, and the grid has " + core::grouped(cells) +
                           " along " + "xyz"[axis] + "; the nearest are " + core::grouped(below) + " and " + core::grouped(above) +
                           ", or use imex, rkl1, rkl2 or rk4");
}

}  // namespace

bool is_transformable(core::Index cells) {
    for (const core::Index radix : {2, 3, 5}) {
        while (cells > 1 && cells % radix == 0) cells /= radix;
    }
    return cells == 1;
}

void require_transformable(const domain::Domain& domain, const model::Model& model, const Method& method) {
    const auto refuse = [&](const std::string& what) {
        throw core::InputError("--method " + method.name + " solves linear terms exactly by Fourier transforms, and cannot be used " +
                               what);
    };
    if (std::holds_alternative<domain::Mesh>(domain)) refuse("on a surface; use imex, rkl1 or rkl2");
    const auto& grid = std::get<domain::Grid>(domain);
    for (const model::Equation& equation : model.equations) {
        const domain::Sides& sides = grid.sides_of(equation.field);
        for (std::size_t side = 0; side < sides.size(); ++side) {
            const domain::Rule rule = sides[side].rule;
            if (grid.size[side / 2] == 1 || rule == domain::Rule::periodic || rule == domain::Rule::no_flux) continue;
            refuse("with the border rule " + std::string(domain::rule_name(rule)) + ": it needs periodic or no-flux borders" + kOthers);
        }
    }
    const LaplacianShape shape = laplacian_shape(grid);
    if (!is_mirror_symmetric(taps_of(shape))) refuse("with a stencil that is not symmetric" + std::string(kOthers));
    for (std::size_t axis = 0; axis < 3; ++axis) require_cells(grid.size[axis], axis, method);
}

LinearSplit split_linear(const System& system, const Method& method) {
    const core::Span& begin = system.model.equations.front().rate->span;
    if (!system.sums.empty()) {
        throw core::ModelError("--method " + method.name + " cannot step equations with " + system.sums.front().name +
                                   ", a sum over all cells; use rkl1, rkl2 or rk4",
                               system.sums.front().span);
    }
    const Classifier classifier(system.model);
    LinearSplit split{system, {}};
    bool any = false;
    for (std::size_t i = 0; i < system.rates.size(); ++i) {
        LinearTerms terms(classifier, static_cast<int>(i));
        split.rest.rates[i].terms = terms.take(system.rates[i].terms, 0, false, nullptr);
        split.linear.push_back(std::move(terms).powers());
        if (split.linear.back().empty()) continue;
        any = true;
        split.rest.model.equations[i].rate = sum_of(split.rest.rates[i].terms);
    }
    if (!any) {
        throw core::ModelError("--method " + method.name +
                                   " takes terms c*f, c*lap(f) and c*bilap(f) of each field f exactly, with c a number or a parameter, "
                                   "and no equation has such a term; use rk4",
                               begin);
    }
    return split;
}

}  // namespace mottle::ir
