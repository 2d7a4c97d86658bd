// mottle/field/expression_rows.h: initial expressions and maps, evaluated for the cells of a kernel
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/field/field.h"
#include "mottle/ir/lower/expression.h"

#include <functional>
#include <span>

namespace mottle::field {

/// The first cell, in the order of files, that a precision cannot hold as a finite number; -1: none.
struct BadCell {
    core::Index cell = -1;
    double value = 0;
};

/// `cells`: cells of `domain` from number `first` on.
BadCell find_bad(const domain::Domain& domain, std::span<const double> cells, core::Index first, bool f64);

/// Hears each row, up to one that has a bad cell; several threads call it.
using RowTaker = std::function<void(core::Index row, std::span<const double> cells)>;

/// Evaluates `expression` row by row, in f64. Of a piece, cells have the values and the numbers of those of the whole. Returns the first bad cell
/// (of a piece, some bad cell), whatever the number of threads. Throws: as create_source.
BadCell evaluate_rows(const ir::Expression& expression, const domain::Domain& domain, bool f64, const InitialSpec& initial,
                      core::ThreadTeam& team, const RowTaker& take);

/// Whether processes that have pieces of `domain` can evaluate `expression`: it needs no array of a program, and nothing of a mesh file but places.
bool comes_in_pieces(const ir::Expression& expression, const domain::Domain& domain);
/// The same with what they need: the centres of spots on a surface, and what pictures they have to see. Pictures are named by paths. Throws: as create_source.
ir::Expression for_pieces(ir::Expression expression, const domain::Domain& domain, std::uint64_t seed);
/// Whether this process has the pictures that `for_pieces` has seen in another one.
bool sees_pictures(const ir::Expression& expression);

}  // namespace mottle::field
