// mottle/ir/lower/system.h: the equations in normal form, before they meet a domain or a time stepping method
#pragma once
#include "mottle/ir/method.h"
#include "mottle/ir/program/program.h"
#include "mottle/model/model.h"

#include <vector>

namespace mottle::ir {

/// coefficient * factor * factor * ...; a power is repeated factors. The coefficient is uniform: parameters, numbers and t alone.
struct Term {
    bool negative = false;
    model::ExprPtr coefficient;           ///< null: 1
    std::vector<model::ExprPtr> factors;  ///< varying; empty: a source term
};

struct Rate {
    std::string field;
    std::vector<Term> terms;  ///< in order of appearance
};

/// mean(f) or integral(f), for which the rates have the name of a number.
struct SumOver {
    std::string name;  ///< as it is written: "mean(u)"
    bool integral = false;
    model::ExprPtr of;  ///< reads the sums before it by their names
    core::Span span;    ///< where it is written first
};

struct System {
    model::Model model;
    std::vector<Rate> rates;
    std::vector<SumOver> sums;
};

/// Expands each right side: sums, and products of a uniform with a sum; products of fields are never expanded. Throws: ModelError.
System build(const model::Model& model);

class Classifier;
/// `expr` as build() expands it.
std::vector<Term> terms_of(const model::ExprPtr& expr, const Classifier& classifier);
/// The expression that these terms are.
model::ExprPtr sum_of(const std::vector<Term>& terms);
/// Whether `expr` reads t.
bool reads_time(const model::Expr& expr);

/// Lowers a system on a domain to a Program: stencils, ghost rules, uniforms, the stages of a method. Throws: ModelError, InputError.
Program lower(const System& system, const Method& method, const domain::Domain& domain);

}  // namespace mottle::ir
