// mottle/ir/expression.h: initial expressions and parameter maps: f64 code over position, with dense inputs for what is no formula
#pragma once
#include "mottle/ir/program.h"
#include "mottle/model/model.h"

#include <vector>

namespace mottle::ir {

/// A source that is no formula: noise, spots, image (disk, ring, box, gauss are plain code). Its values arrive as Op::load of array `index`.
struct SourceCall {
    std::string function;      ///< "noise", "spots", "image"
    std::vector<double> args;  ///< uniform arguments, evaluated (noise: lo, hi; spots: n, radius)
    std::string text;          ///< image: the file name
    std::uint32_t draw = 0;    ///< first random draw, numbered over the whole file by source position
    core::Span span;
};

struct Expression {
    Code code;                        ///< f64; Op::uniform is not used: parameters are folded; Op::axis and Op::load of sources
    std::vector<SourceCall> sources;  ///< Op::load index i is sources[i]
};

/// Lowers an expression of position. `parameters` gives values for names. Throws: ModelError (fields are not allowed, arity, unknown names).
Expression lower_position(const model::ExprPtr& expr, const model::Model& model, const domain::Domain& domain);

}  // namespace mottle::ir
