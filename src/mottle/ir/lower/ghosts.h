// mottle/ir/lower/ghosts.h: what the boundary rules of a grid come to: the cells beyond its border (ghosts) of each array
#pragma once
#include "mottle/ir/lower/system.h"
#include "mottle/ir/program/uniforms.h"

#include <cstddef>
#include <vector>

namespace mottle::ir {

/// Finds the ghost rules of arrays and puts them into Program::ghosts. A ghost is a copy of a cell, or alpha + beta * mirror, where the mirror is the cell
/// on the other side of the border's face; both numbers are uniforms of the Program. Fields are given by their place among the model's equations.
class GhostRules {
   public:
    /// Keeps references to all of them.
    GhostRules(const System& system, const domain::Grid& grid, Program& program, Uniforms& uniforms);

    /// The index of the rule of an array that holds one of these fields, or what is made of all of them. Where their rules differ, ghosts mirror.
    /// `homogeneous`: without the part of a rule that does not depend on the field. Values of the border are those at `time`.
    int of_fields(const std::vector<int>& fields, bool homogeneous, const model::ExprPtr& time);
    /// The index of the rule by which ghosts mirror, or wrap where all these fields wrap.
    int mirrored(const std::vector<int>& fields);

    /// Whether ghosts of what is made of these fields are copies of cells on all sides.
    bool copies(const std::vector<int>& fields) const;
    /// The rule of a field on a side (domain::Side).
    domain::Rule rule(int field, std::size_t side) const { return boundary(field, side).rule; }

   private:
    const domain::Boundary& boundary(int field, std::size_t side) const;
    Ghost ghost(const domain::Boundary& boundary, std::size_t side, bool homogeneous, const model::ExprPtr& time);
    int index_of(const GhostRule& rule);

    const System& system_;
    const domain::Grid& grid_;
    Program& program_;
    Uniforms& uniforms_;
};

}  // namespace mottle::ir
