// mottle/ir/lower/legendre.h: a stage of a Runge-Kutta-Legendre method in one cell
#pragma once
#include "mottle/ir/lower/value.h"
#include "mottle/ir/method.h"
#include "mottle/ir/program/stage_inputs.h"

#include <string>
#include <utility>
#include <vector>

namespace mottle::ir {

/// Lowers the stage that all stages are: what tells them from each other are uniforms. Beside each field stand states that are read in their own cell
/// only: the increment of the stage before, unless the method is factored, and in order 2 the field with which the step began.
class LegendreLowering {
   public:
    using Stores = std::vector<std::pair<Array, Value>>;

    /// `first`: the first of those states, which are in the order of names().
    LegendreLowering(Lowering& lowering, const System& system, const RungeKuttaLegendre& method, Array first)
        : lowering_(lowering), system_(system), method_(method), first_(first) {}
    static std::vector<std::string> names(const System& system, const RungeKuttaLegendre& method);

    /// y_j, before the border; stores its increment where the next stage needs it.
    Value stage(int field, const Rate& rate, Stores& stores);
    /// What the first and the last stage of a step make of y_j, and what any may, before the border; stores the field with which the step began.
    Value seam(int field, Value stage, Stores& stores);
    /// In a stage that is neither, the field with which the step began stays.
    void keep_start(int field, Stores& stores);
    /// The time of the fields that the stage leaves.
    model::ExprPtr time();

   private:
    Builder& code() { return lowering_.rates().code; }
    Value number(StageInput input);
    Value is_on(StageInput input) { return code().less(code().literal(0), number(input)); }
    Array increment(int field) const { return first_ + field; }
    Array start(int field) const { return first_ + (method_.factored ? 0 : static_cast<int>(system_.rates.size())) + field; }

    Lowering& lowering_;
    const System& system_;
    RungeKuttaLegendre method_;
    Array first_;
};

/// Lowers a step without sums over all cells: Program::step is a stage inside a step, Program::flush_step one at its seam, if it differs.
void lower_legendre(Lowering& lowering, const System& system, const RungeKuttaLegendre& method);

}  // namespace mottle::ir
