// mottle/backend/cpu/emit/grid.cpp: the module around the row kernels: variants, border rows, declarations
#include "mottle/backend/cpu/emit/grid.h"

#include "mottle/backend/cpu/emit/row.h"
#include "mottle/backend/cpu/emit/row_kernel.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cstddef>

namespace mottle::backend::cpu {
namespace {

constexpr int kMostRows = 4;
constexpr int kMostSideBySide = 700;  // operations of a cell: with more, the code of kMostRows rows does not fit into the instruction cache
constexpr int kMostInTwoRows = 10000;  // operations of a cell
constexpr int kWorkingRegisters = 8;   // sums, products and the row above, while one row is computed

using core::str;

// Fills the ghost row of one group beyond a side from the row inside, x ghosts included (so corners follow the order x, then y).
std::string border_text(const ir::Program& program, const Plan& plan, int group, domain::Side side, const TextTypes& types,
                        const EmitOptions& options) {
    TextBuilder out(types);
    out.label("entry");
    std::string rows = load_member(out, offsetof(RowArguments, rows), "ptr");
    std::string to = out.assign("load ptr, ptr " + rows + ", align 8");
    std::string from = out.assign("load ptr, ptr " + out.pointer(rows, "8") + ", align 8");
    std::string numbers = load_member(out, offsetof(RowArguments, numbers), "ptr"),
                end = load_member(out, offsetof(RowArguments, row_bytes), "i64");
    std::string pitch = load_member(out, offsetof(RowArguments, array_pitch), "i64");
    std::string fma = options.isa.fma ? "" : load_member(out, offsetof(RowArguments, fma), "ptr");
    const auto& arrays = plan.groups[core::at(group)].arrays;
    std::vector<std::string> alpha(arrays.size()), beta(arrays.size()), offset(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& rule = program.ghosts_of(arrays[i]);
        const ir::Ghost& ghost = rule[side];
        if (ghost.alpha >= 0) alpha[i] = out.number(numbers, ghost.alpha), beta[i] = out.number(numbers, ghost.beta);
        offset[i] = out.assign("mul i64 " + pitch + ", " + str(static_cast<long long>(i)));
    }
    out.line("br label %column");
    out.label("column");
    out.line("%j = phi i64 [ " + str(-static_cast<long long>(types.vector_bytes)) + ", %entry ], [ %next, %column ]");
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        std::string at = out.assign("add i64 %j, " + offset[i]);
        std::string value = out.load_real(out.pointer(from, at));
        if (!alpha[i].empty()) {
            const Operand args[3] = {{beta[i]}, {value}, {alpha[i]}};
            value = emit_arithmetic(out, types, ir::Op::fma, args, 0, {fma, ""});
        }
        out.store_real(value, out.pointer(to, at));
    }
    out.line("%next = add nsw i64 %j, " + str(types.vector_bytes));
    out.line("%more = icmp sle i64 %next, " + end);
    out.line("br i1 %more, label %column, label %done");
    out.label("done");
    out.line("ret void");
    return "define void @" + border_function(side, group) + "(ptr %arguments) #0 {\n" + out.text() + "}\n\n";
}

int uniform_registers(const ShiftClasses& classes) {
    int count = 0;
    for (const auto& klass : classes.classes) count += klass.uniform && klass.instruction.op != ir::Op::word ? 1 : 0;
    return count;
}

bool draws_normal_numbers(const StagePlan& stage) {
    return std::any_of(stage.axes.begin(), stage.axes.end(), [](int axis) { return axis >= ir::kCellX && axis <= ir::kCellZ; });
}

/// The generator of random numbers keeps all words of a cell's counter in registers up to its last round, in addition to the carried values.
int rows_of_noise(const ShiftClasses& classes, int registers) {
    constexpr int kWordsAndProducts = 5;
    int rows = kMostRows;
    while (rows > 2 && find_demand(classes, rows).carried_values() + kWordsAndProducts * rows > registers) --rows;
    return rows;
}

}  // namespace

std::string stage_function(int stage, int rows, bool flush) {
    return std::string(flush ? "flush" : "stage") + str(stage) + "_rows" + str(rows);
}

std::string joined_function(std::size_t which, bool flush) {
    return (flush ? "joined_flush" : "joined") + str(static_cast<long long>(which));
}

std::string border_function(domain::Side side, int group) {
    constexpr const char* kNames[] = {"left", "right", "top", "bottom", "front", "back"};
    return "border_" + std::string(kNames[side]) + "_" + str(group);
}

std::vector<domain::Side> border_sides(const Plan& plan) {
    if (plan.volume) return {domain::kTop, domain::kBottom, domain::kFront, domain::kBack};
    return {domain::kTop, domain::kBottom};
}

bool group_wraps(const ir::Program& program, const Plan& plan, std::size_t group, domain::Side side) {
    const auto array = core::at(plan.groups[group].arrays[0]);
    return wraps_along(program.ghosts_of(static_cast<ir::Array>(array)), side / 2);
}

int choose_rows(const ir::Program& program, const Plan& plan, int stage, const EmitOptions& options) {
    const ir::Stage& code = program.step.stages[core::at(stage)];
    // The time of compilation grows faster than the number of instructions: two rows would gain a tenth here, and take three times as long to compile.
    if (ir::operations(code.code) > kMostInTwoRows) return 1;
    ShiftClasses classes = find_shift_classes(code, plan.volume);
    // Long chains of operations: many rows at a time, although numbers are then read from memory. With fewer registers carried values would be, too.
    if (longest_chain(classes) >= kLongChain) {
        if (options.isa.registers < 32 || ir::operations(code.code) > kMostSideBySide) return 2;
        return draws_normal_numbers(plan.stages[core::at(stage)]) ? rows_of_noise(classes, options.isa.registers) : kMostRows;
    }
    int fixed = uniform_registers(classes) + kWorkingRegisters;
    int rows = 1;
    for (int r = 2; r <= kMostRows; ++r) {
        int carried = find_demand(classes, r).carried_values();
        // reading numbers from memory costs less than reading every row twice
        const bool pair = r == 2 && carried + kFewestWorkingRegisters <= options.isa.registers;
        if (carried + fixed <= options.isa.registers || pair) rows = r;
    }
    return rows;
}

bool fits_registers(const JoinedStages& joined, int rows, const EmitOptions& options) {
    const ShiftClasses classes = find_shift_classes(joined.step);
    return find_demand(classes, rows).carried_values() + uniform_registers(classes) + kWorkingRegisters <= options.isa.registers;
}

std::vector<int> row_variants(int rows) {
    std::vector<int> variants;
    for (int r : {rows, 4, 2, 1}) {
        if (r <= rows && (variants.empty() || r < variants.back())) variants.push_back(r);
    }
    return variants;
}

namespace {

/// The stage without the stores that write a resting state back unchanged.
ir::Stage without_rests(ir::Stage stage, const Plan& plan) {
    std::erase_if(stage.stores, [&](const std::pair<ir::Array, ir::Value>& store) {
        return plan.groups[core::at(plan.group_of[core::at(store.first)])].home == Home::resting && writes_back(stage, store);
    });
    return stage;
}

}  // namespace

std::string emit_grid(const ir::Program& program, const Plan& plan, const CallSizes& sizes, const EmitOptions& options) {
    TextTypes types(program.f64, options.isa, options.lanes);
    std::string text = "; mottle row kernels, " + options.isa.name + ", " + str(types.lanes) + " lanes\n" + arithmetic_declarations(types);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        bool last = s + 1 == plan.stages.size();
        for (int r : row_variants(sizes.rows[s])) {
            const int stage = static_cast<int>(s);
            const auto emit = [&](const ir::Sweep& step, bool flush) {
                core::cancellation_point();
                const ir::Stage code = without_rests(step.stages[s], plan);
                text += RowEmitter(program, plan, {code, plan.stages[s]}, r, options).emit(stage_function(stage, r, flush));
            };
            emit(program.step, false);
            if (last && program.flush_step) emit(*program.flush_step, true);
        }
    }
    for (std::size_t j = 0; j < plan.joined.size(); ++j) {
        const JoinedStages& joined = plan.joined[j];
        for (const ir::Stage* code : {&joined.step, &joined.flush}) {
            if (!sizes.joined[j] || code->code.empty()) continue;
            const ir::Stage moving = without_rests(*code, plan);
            RowEmitter emitter(program, plan, {moving, joined.plan, joined.ahead}, sizes.block, options);
            text += emitter.emit(joined_function(j, code == &joined.flush));
        }
    }
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
        for (const domain::Side side : border_sides(plan)) {
            if (!group_wraps(program, plan, g, side)) text += border_text(program, plan, static_cast<int>(g), side, types, options);
        }
    }
    return text + attributes(types);
}

}  // namespace mottle::backend::cpu
