// mottle/field/source.h: dense inputs of initial expressions: noise, spots and images, row by row in f64
#pragma once
#include "mottle/field/field.h"
#include "mottle/ir/expression.h"

#include <functional>
#include <span>

namespace mottle::field {

/// Fills row `row` of the domain. May be called from several threads.
using RowSource = std::function<void(core::Index row, std::span<double> cells)>;

/// Throws: InputError with place (image unreadable, too many spots), ModelError (wrong arguments).
RowSource create_source(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial);

/// Evaluates `expression` over one row.
RowSource create_row_expression(const ir::Expression& expression, const domain::Domain& domain, const InitialSpec& initial);

}  // namespace mottle::field
