// mottle/backend/cpu/emit/operation_count.cpp: counts the operations of a program as its kernel makes them
#include "mottle/backend/cpu/emit/operation_count.h"

#include "mottle/backend/shift_classes.h"

#include <algorithm>
#include <array>

namespace mottle::backend::cpu {
namespace {

using ir::Op;

/// A negation costs nothing if only multiply-adds use it, since there are such instructions for all combinations of signs.
bool is_free_negation(const ShiftClasses& classes, int klass) {
    return std::all_of(classes.classes.begin(), classes.classes.end(), [klass](const ShiftClass& user) {
        return user.instruction.op == Op::fma ||
               std::none_of(user.args.begin(), user.args.end(), [klass](const Shifted& arg) { return arg.klass == klass; });
    });
}

bool same(const Shifted& a, const Shifted& b) { return a.klass == b.klass && a.dx == b.dx && a.dy == b.dy; }

/// select(a < b, a, b) and its like are one instruction, a minimum or maximum, of which the comparison is counted already.
bool is_minimum_or_maximum(const ShiftClasses& classes, const ShiftClass& klass) {
    if (klass.instruction.op != Op::select) return false;
    const ShiftClass& mask = classes.classes[core::at(klass.args[0].klass)];
    const Shifted &a = klass.args[1], &b = klass.args[2];
    return mask.instruction.op == Op::less &&
           ((same(mask.args[0], a) && same(mask.args[1], b)) || (same(mask.args[0], b) && same(mask.args[1], a)));
}

/// Operations that are not counted: numbers, loads, and changes of type.
bool takes_no_instruction(Op op) {
    constexpr std::array kFree = {Op::literal, Op::word, Op::uniform, Op::load, Op::axis, Op::to_word, Op::to_real};
    return std::find(kFree.begin(), kFree.end(), op) != kFree.end();
}

int operations_of_stage(const ir::Stage& stage, bool volume) {
    const ShiftClasses classes = find_shift_classes(stage, volume);
    const ColumnDemand demand = find_demand(classes, 1);
    int count = 0;
    for (const auto& [where, range] : demand.ranges) {
        const ShiftClass& klass = classes.classes[core::at(where.first)];
        if (klass.uniform) continue;
        if (takes_no_instruction(klass.instruction.op)) continue;
        if (klass.instruction.op == Op::neg)
            count += is_free_negation(classes, where.first) ? 0 : 1;
        else
            count += is_minimum_or_maximum(classes, klass) ? 0 : range.carried ? 1 : static_cast<int>(range.columns.size());
    }
    return count;
}

}  // namespace

int operations_of(const ir::Program& program, bool volume) {
    int count = 0;
    for (const ir::Stage& stage : program.step.stages) count += operations_of_stage(stage, volume);
    return count;
}

}  // namespace mottle::backend::cpu
