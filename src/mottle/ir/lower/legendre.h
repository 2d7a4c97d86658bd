// mottle/ir/lower/legendre.h: a stage of a Runge-Kutta-Legendre method in one cell
#pragma once
#include "mottle/ir/lower/value.h"
#include "mottle/ir/method.h"
#include "mottle/ir/program/stage_inputs.h"

namespace mottle::ir {

/// Lowers the stage that all stages are: what tells them from each other are uniforms. Beside each field stand states that are read in their own cell
/// only: the increment of the stage before, and in order 2 the field and the increment with which the step began.
class LegendreLowering {
   public:
    /// `first`: the first of those states, which are in the order of names().
    LegendreLowering(Lowering& lowering, const System& system, const RungeKuttaLegendre& method, Array first)
        : lowering_(lowering), system_(system), order_(method.order), first_(first) {}
    static std::vector<std::string> names(const System& system, const RungeKuttaLegendre& method);

    /// The field that the stage leaves, before the border; stores the states beside it. `moves`: a mask, without which they stay; -1: there is none.
    Value next(int field, const Rate& rate, Value moves = -1);
    /// The time of the fields that the stage leaves.
    model::ExprPtr time();

   private:
    Builder& code() { return lowering_.rates().code; }
    Value number(StageInput input);
    Value is_on(StageInput input);
    Array beside(int which, int field) const;
    void store(Array array, Value value, Value moves);

    Lowering& lowering_;
    const System& system_;
    int order_;
    Array first_;
};

/// Lowers a step without sums over all cells.
void lower_legendre(Lowering& lowering, const System& system, const RungeKuttaLegendre& method);

}  // namespace mottle::ir
