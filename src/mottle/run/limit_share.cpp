// mottle/run/limit_share.cpp: counts the operations of a program, and compares them with the limit of the machine
#include "mottle/run/limit_share.h"

#include "mottle/backend/cpu/shift_classes.h"
#include "mottle/run/machine_limits.h"

#include <algorithm>

namespace mottle::run {
namespace {

namespace cpu = backend::cpu;
using cpu::ShiftClass;
using ir::Op;

constexpr double kLongRun = 2, kProbe = 0.02;  // seconds

/// A negation costs nothing where only multiply-adds use it: they come in all signs.
bool is_free_negation(const cpu::ShiftClasses& classes, int klass) {
    return std::all_of(classes.classes.begin(), classes.classes.end(), [klass](const ShiftClass& user) {
        return user.instruction.op == Op::fma ||
               std::none_of(user.args.begin(), user.args.end(), [klass](const cpu::Shifted& arg) { return arg.klass == klass; });
    });
}

bool same(const cpu::Shifted& a, const cpu::Shifted& b) { return a.klass == b.klass && a.dx == b.dx && a.dy == b.dy; }

/// select(a < b, a, b) and its like are one instruction, a minimum or maximum, of which the comparison is counted already.
bool is_minimum_or_maximum(const cpu::ShiftClasses& classes, const ShiftClass& klass) {
    if (klass.instruction.op != Op::select) return false;
    const ShiftClass& mask = classes.classes[static_cast<std::size_t>(klass.args[0].klass)];
    const cpu::Shifted &a = klass.args[1], &b = klass.args[2];
    return mask.instruction.op == Op::less &&
           ((same(mask.args[0], a) && same(mask.args[1], b)) || (same(mask.args[0], b) && same(mask.args[1], a)));
}

int operations_of(const ir::Stage& stage, bool volume) {
    const cpu::ShiftClasses classes = cpu::find_shift_classes(stage, volume);
    const cpu::ColumnDemand demand = cpu::find_demand(classes, 1);
    int count = 0;
    for (const auto& [where, range] : demand.ranges) {
        const ShiftClass& klass = classes.classes[static_cast<std::size_t>(where.first)];
        if (klass.uniform) continue;
        switch (klass.instruction.op) {
            case Op::literal:
            case Op::word:
            case Op::uniform:
            case Op::load:
            case Op::axis:
            case Op::to_word:
            case Op::to_real:
                break;
            case Op::neg:
                count += is_free_negation(classes, where.first) ? 0 : 1;
                break;
            default:
                count += is_minimum_or_maximum(classes, klass) ? 0 : range.carried ? 1 : static_cast<int>(range.columns.size());
        }
    }
    return count;
}

}  // namespace

int operations_per_cell(const Simulation& simulation) {
    const bool volume = std::get<domain::Grid>(simulation.spec().domain).size[2] > 1;
    int count = 0;
    for (const ir::Stage& stage : simulation.kernel().program().step.stages) count += operations_of(stage, volume);
    return count;
}

std::optional<double> share_of_limit(const Simulation& simulation, core::Context& context) {
    const double seconds = simulation.timings().simulate;
    const domain::Domain& domain = simulation.spec().domain;
    if (!(seconds > 0) || !std::holds_alternative<domain::Grid>(domain) || simulation.backend().name() != "cpu") return std::nullopt;
    const double updates =
        static_cast<double>(domain::cell_count(domain)) * static_cast<double>(simulation.now().step - simulation.first_step());
    const double operations = updates * operations_per_cell(simulation) * (simulation.kernel().program().f64 ? 2 : 1) / seconds;
    std::optional<double> limit = kept_operations(context.cache, context.team.size());
    // a run that passes the limit shows that something disturbed the measurement
    if ((!limit || operations > *limit) && seconds > kLongRun) limit = keep_operations(context.team, context.cache, kProbe);
    if (!limit || operations > *limit) return std::nullopt;
    return operations / *limit;
}

}  // namespace mottle::run
