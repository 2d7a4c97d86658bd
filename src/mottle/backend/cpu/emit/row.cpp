// mottle/backend/cpu/emit/row.cpp: one row kernel as LLVM IR text: values carried along x, rows shared, ghosts refilled at the end
#include "mottle/backend/cpu/emit/row.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/emit/row_kernel.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <cstddef>
#include <functional>
#include <set>

namespace mottle::backend::cpu {

using ir::Op;

namespace {

constexpr int kMade = 2;  // beside a row: the one that is made

std::string word_of(int beside) { return beside < 0 ? "before" : beside == kMade ? "made" : "after"; }

using core::str;

// The name of a carried value in the next column.
std::string next_of(const std::string& carried) { return "%next" + carried.substr(1); }

bool along_x(int axis) { return direction(static_cast<ir::Axis>(axis)) == 0; }

}  // namespace

RowEmitter::RowEmitter(const ir::Program& program, const Plan& plan, const RowCode& code, int rows, const EmitOptions& options)
    : program_(program),
      plan_(plan),
      stage_plan_(code.plan),
      options_(options),
      rows_(rows),
      types_(program.f64, options.isa, options.lanes),
      classes_(find_shift_classes(code.stage, plan.volume)),
      demand_(find_demand(classes_, rows)),
      out_(types_),
      ahead_(code.ahead) {}

std::string RowEmitter::emit(const std::string& name) {
    out_.label("entry");
    entry();
    loop();
    if (plan_.volume) leave_piece();
    if (ahead_ > 0) {
        last_column();
    } else {
        begin_ghosts();
    }
    ghosts(ahead_, classes_.stores.size());
    out_.line("ret void");
    return "define void @" + name + "(ptr %arguments) #0 {\n" + out_.text() + "}\n\n";
}

// ---- before the loop: pointers, numbers, the carried values of column 0

// One list of all rows in a volume; in a plane a list for each input and output.
void RowEmitter::load_rows() {
    int row = 0;
    const auto load = [&](const std::string& list, int count) {
        for (int i = 0; i < count; ++i, ++row)
            out_.line("%row" + str(row) + " = load ptr, ptr " + out_.pointer(list, str(8LL * i)) + ", align 8");
    };
    if (plan_.volume) return load(load_member(out_, offsetof(RowArguments, rows), "ptr"), stage_plan_.pointers(rows_));
    const std::string lists = load_member(out_, offsetof(RowArguments, lists), "ptr");
    long long list = 0;
    const auto next = [&] { return out_.assign("load ptr, ptr " + out_.pointer(lists, str(8 * list++)) + ", align 8"); };
    for (const RowInput& input : stage_plan_.inputs) load(next(), rows_ + input.high - input.low);
    for (std::size_t i = 0; i < stage_plan_.outputs.size(); ++i) load(next(), rows_);
}

// The rows beside those of an input that the stage uses.
std::vector<int> RowEmitter::besides_of(std::size_t input) const {
    std::vector<int> all;
    if (!plan_.volume) return all;
    if (stage_plan_.inputs[input].beside) all = {-1, 1};
    if (stage_plan_.made_from(plan_, stage_plan_.inputs[input].group) >= 0) all.push_back(kMade);
    return all;
}

void RowEmitter::entry() {
    load_rows();
    load_member(out_, offsetof(RowArguments, numbers), "ptr", "%numbers");
    load_member(out_, plan_.volume ? offsetof(RowArguments, end) : offsetof(RowArguments, row_bytes), "i64", "%end");
    load_member(out_, offsetof(RowArguments, array_pitch), "i64", "%pitch");
    for (int i = 1; i < plan_.most_arrays(); ++i) out_.line("%array" + str(i) + " = mul i64 %pitch, " + str(i));
    if (!stage_plan_.axes.empty()) {
        std::string axes = load_member(out_, offsetof(RowArguments, axes), "ptr");
        for (std::size_t i = 0; i < stage_plan_.axes.size(); ++i) {
            std::string slot = out_.pointer(axes, str(8LL * static_cast<long long>(i)));
            out_.line("%axis" + str(stage_plan_.axes[i]) + " = load ptr, ptr " + slot + ", align 8");
        }
    }
    for (std::size_t i = 0; i < stage_plan_.inputs.size(); ++i) {
        const std::string input = str(static_cast<long long>(i));
        for (const int beside : besides_of(i)) {
            const std::string list = load_member(out_, offsetof(RowArguments, beside), "ptr");
            const auto at = static_cast<long long>(sizeof(std::int64_t)) * (3 * static_cast<long long>(i) + (beside < 0 ? 0 : beside));
            out_.line("%" + (word_of(beside) + input) + " = load i64, ptr " + out_.pointer(list, str(at)) + ", align 8");
        }
    }
    if (!options_.isa.fma) {
        calls_.fma = load_member(out_, offsetof(RowArguments, fma), "ptr");
        calls_.floor = load_member(out_, offsetof(RowArguments, floor), "ptr");
    }
    load_member(out_, offsetof(RowArguments, prefetch), "ptr", "%prefetch_first");
    load_member(out_, offsetof(RowArguments, prefetch_step), "i64", "%prefetch_step");
    if (plan_.volume) {
        load_member(out_, offsetof(RowArguments, first), "i64", "%first");
        out_.line("%row_begins = icmp eq i64 %first, 0");
        load_member(out_, offsetof(RowArguments, edge), "ptr", "%edge");
        load_member(out_, offsetof(RowArguments, ahead), "ptr", "%ahead_first");
        load_member(out_, offsetof(RowArguments, ahead_step), "i64", "%ahead_step");
        base_ = "%first";
    }

    // Numbers come first, so that they get registers. The compiler drops those that are not used.
    for (std::size_t k = 0; k < classes_.classes.size(); ++k) {
        if (classes_.classes[k].uniform) get({static_cast<int>(k), 0, 0}, 0, 0);
    }
    keep_in_memory();
    for (const auto& [key, range] : demand_.ranges) {
        const ir::Instruction& in = classes_.classes[core::at(key.first)].instruction;
        if (in.op == Op::axis && !along_x(in.index)) row_values_[key] = axis(in, key.second, 0);
    }
    if (ahead_ > 0) ends_ahead();
    for (const auto& [key, range] : demand_.ranges) {
        if (!range.carried) continue;
        for (int dx = range.low; dx < range.high; ++dx) {
            Slot slot{key.first, key.second, dx};
            carried_first_[slot] = compute(key.first, key.second, dx);
            carried_[slot] = "%carried" + str(key.first) + "_" + str(key.second + 8) + "_" + str(dx + 8);
        }
    }
    column_.clear();
}

// Numbers for which there is no register stay in memory, as operands of instructions. Without this, LLVM would put values into memory that change in every
// column, and store and load them each time.
void RowEmitter::keep_in_memory() {
    int free = options_.isa.registers - kFewestWorkingRegisters - demand_.carried_values();
    for (const auto& [klass, value] : uniforms_) {
        const Op op = classes_.classes[core::at(klass)].instruction.op;
        if ((op != Op::uniform && op != Op::literal) || free-- > 0) continue;
        const std::string align = ", align " + str(types_.vector_bytes);
        const std::string place = out_.assign("alloca " + types_.real + align);
        out_.line("store " + types_.real + " " + value + ", ptr " + place + align);
        in_memory_.emplace(klass, place);
    }
}

// ---- one column

void RowEmitter::loop() {
    out_.line("br label %column");
    out_.label("column");
    out_.line(std::string("%j = phi i64 [ ") + (plan_.volume ? "%first" : "0") + ", %entry ], [ %next, %column ]");
    out_.line("%prefetch = phi ptr [ %prefetch_first, %entry ], [ %prefetch_next, %column ]");
    if (plan_.volume) out_.line("%ahead = phi ptr [ %ahead_first, %entry ], [ %ahead_next, %column ]");
    // the value that a phi takes over is named here and defined at the end of the column, once it is known
    for (const auto& [slot, name] : carried_) {
        out_.line(name + " = phi " + types_.real + " [ " + carried_first_.at(slot) + ", %entry ], [ " + next_of(name) + ", %column ]");
    }
    // `freeze` hides from LLVM that the place grows with j. Otherwise it would keep a pointer for every row of every array, half of them in memory.
    out_.line("%at0 = freeze i64 %j");
    for (int i = 1; i < plan_.most_arrays(); ++i) {
        const std::string array = str(i);
        out_.line("%start" + array + " = add i64 %j, %array" + array);
        out_.line("%at" + array + " = freeze i64 %start" + array);
    }
    for (std::size_t i = 0; i < stage_plan_.inputs.size(); ++i) {
        const RowInput& input = stage_plan_.inputs[i];
        for (std::size_t a = 0; a < plan_.groups[core::at(input.group)].arrays.size(); ++a) {
            const std::string at = "%at" + str(static_cast<long long>(a)), number = str(static_cast<long long>(i));
            for (const int beside : besides_of(i)) {
                const std::string word = word_of(beside) + number;
                out_.line(at + "_" + word + " = add i64 " + at + ", %" + word);
            }
        }
    }
    out_.line("call void @llvm.prefetch.p0(ptr %prefetch, i32 0, i32 2, i32 1)");
    out_.line("%prefetch_next = getelementptr i8, ptr %prefetch, i64 %prefetch_step");
    if (plan_.volume) {
        out_.line("call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 2, i32 1)");
        out_.line("%ahead_next = getelementptr i8, ptr %ahead, i64 %ahead_step");
    }
    in_loop_ = true;
    if (longest_chain(classes_) >= kLongChain) compute_side_by_side();
    update(0, ahead_);
    update(ahead_, classes_.stores.size());
    for (const auto& [slot, name] : carried_) {
        auto [klass, row, dx] = slot;
        std::string value = get({klass, dx + 1, row}, 0, 0);
        out_.line(next_of(name) + " = bitcast " + types_.real + " " + value + " to " + types_.real);
    }
    in_loop_ = false;
    out_.line("%next = add nuw nsw i64 %j, " + str(types_.vector_bytes));
    out_.line(std::string("%more = icmp ult i64 %next, ") + (ahead_ > 0 ? "%last" : "%end"));
    out_.line("br i1 %more, label %column, label %done");
    out_.label("done");
}

// Stores first .. end - 1 of one column.
void RowEmitter::update(std::size_t first, std::size_t end) {
    for (int row = 0; row < rows_; ++row) {
        std::vector<std::string> values;
        for (std::size_t i = first; i < end; ++i) values.push_back(get(classes_.stores[i].second, row, 0));
        for (std::size_t i = first; i < end; ++i) out_.store_real(values[i - first], store_place(i, row));
    }
}

// Computes every value of a column for all rows before the next value.
void RowEmitter::compute_side_by_side() {
    std::set<Slot> seen;
    const std::function<void(const Shifted&)> compute_after_arguments = [&](const Shifted& value) {
        const ShiftClass& klass = classes_.classes[core::at(value.klass)];
        const Slot slot{value.klass, value.dy, value.dx};
        if (klass.uniform || carried_.contains(slot) || !seen.insert(slot).second) return;
        const Op op = klass.instruction.op;
        for (int i = 0; i < ir::arity(op); ++i) {
            const Shifted& argument = klass.args[core::at(i)];
            compute_after_arguments({argument.klass, value.dx + argument.dx, value.dy + argument.dy});
        }
        if (op == Op::neg) return;  // the operations that use it negate it at no cost
        for (int row = 0; row < rows_; ++row) get(value, row, 0);
    };
    for (const auto& [array, value] : classes_.stores) compute_after_arguments(value);
}

// The value of a class in row `row` and column `dx` from here (offsets of `value` included).
std::string RowEmitter::get(const Shifted& value, int row, int dx) {
    int klass = value.klass;
    if (classes_.classes[core::at(klass)].uniform) {
        auto [found, fresh] = uniforms_.try_emplace(klass);
        if (fresh) found->second = operation(classes_.classes[core::at(klass)], 0, 0);
        if (const auto place = in_memory_.find(klass); in_loop_ && place != in_memory_.end())
            return out_.assign("load " + types_.real + ", ptr " + place->second + ", align " + str(types_.vector_bytes));
        return found->second;
    }
    row += value.dy;
    dx += value.dx;
    if (auto found = row_values_.find({klass, row}); found != row_values_.end()) return found->second;
    if (in_loop_) {
        auto phi = carried_.find({klass, row, dx});
        if (phi != carried_.end()) return in_last_column_ ? next_of(phi->second) : phi->second;
    }
    return compute(klass, row, dx);
}

std::string RowEmitter::compute(int klass, int row, int dx) {
    Slot slot{klass, row, dx};
    if (auto found = column_.find(slot); found != column_.end()) return found->second;
    std::string value = operation(classes_.classes[core::at(klass)], row, dx);
    column_.emplace(slot, value);
    return value;
}

bool RowEmitter::is_one(const Shifted& value) const {
    const auto& instruction = classes_.classes[core::at(value.klass)].instruction;
    auto index = core::at(instruction.index);
    return instruction.op == Op::uniform && index < options_.ones.size() && options_.ones[index];
}

std::string RowEmitter::argument(const ShiftClass& klass, int i, int row, int dx) { return get(klass.args[core::at(i)], row, dx); }

// An argument of an fma. A negation becomes an fneg, which the multiply-add instruction includes at no cost.
static const ShiftClass* negated(const ShiftClasses& classes, const Shifted& value) {
    const ShiftClass& klass = classes.classes[core::at(value.klass)];
    return klass.instruction.op == Op::neg ? &klass : nullptr;
}

std::string RowEmitter::operation(const ShiftClass& klass, int row, int dx) {
    const ir::Instruction& in = klass.instruction;
    if (in.op == Op::literal) return number(plan_.constants.number({false, in.bits}), false);
    if (in.op == Op::word) return number(plan_.constants.number({true, in.bits}), true);
    if (in.op == Op::uniform) return number(in.index, false);
    if (in.op == Op::load) return load(in, row, dx);
    if (in.op == Op::axis) return axis(in, row, dx);
    return arithmetic(klass, row, dx);
}

std::string RowEmitter::arithmetic(const ShiftClass& klass, int row, int dx) {
    const Op op = klass.instruction.op;
    const bool sign = op == Op::neg || op == Op::abs;
    const std::string bits = sign ? number(plan_.constants.number(op == Op::neg ? kSignWord : kMagnitudeWord), true) : "";
    if (op == Op::mul && is_one(klass.args[0])) return argument(klass, 1, row, dx);
    if (op == Op::mul && is_one(klass.args[1])) return argument(klass, 0, row, dx);
    const bool shifts = op == Op::word_shl || op == Op::word_shr;
    std::vector<Operand> args;
    for (int i = 0; i < (shifts ? 1 : ir::arity(op)); ++i) {
        const Shifted& value = klass.args[core::at(i)];
        const ShiftClass* negation = op == Op::fma && options_.isa.fma ? negated(classes_, value) : nullptr;
        if (negation) {
            args.push_back({argument(*negation, 0, row + value.dy, dx + value.dx), true});
        } else {
            args.push_back({argument(klass, i, row, dx)});
        }
    }
    if (sign) args.push_back({bits});
    const std::uint64_t count = shifts ? classes_.classes[core::at(klass.args[1].klass)].instruction.bits : 0;
    return emit_arithmetic(out_, types_, op, args, count, calls_);
}

std::string RowEmitter::number(int index, bool word) {
    auto [found, fresh] = numbers_.try_emplace({index, word});
    if (fresh) found->second = out_.number("%numbers", index, word);
    return found->second;
}

std::string RowEmitter::row_pointer(ir::Array array, int row) const {
    int input = stage_plan_.input_of(plan_.group_of[core::at(array)]);
    return "%row" + str(stage_plan_.input_pointer(input, rows_) + row - stage_plan_.inputs[core::at(input)].low);
}

// A shifting row is written over the input row before it (the first of a block has a pointer of its own, since a border may stand above), in a volume
// over the row beside that one; other rows are written where they are read, if they are.
std::string RowEmitter::output_pointer(ir::Array array, int row) const {
    int group = plan_.group_of[core::at(array)], output = 0;
    while (stage_plan_.outputs[core::at(output)] != group) ++output;
    std::string own = "%row" + str(stage_plan_.output_pointer(output, rows_) + row);
    int input = stage_plan_.input_of(group);
    bool shifting = plan_.groups[core::at(group)].home == Home::shifting;
    if (shifting) return row == 0 && !plan_.volume ? own : row_pointer(array, row - 1);
    return stage_plan_.has_centre(input) ? row_pointer(array, row) : own;
}

std::string RowEmitter::array_offset(ir::Array array) const {
    int ordinal = plan_.ordinal_of[core::at(array)];
    return ordinal == 0 ? "0" : "%array" + str(ordinal);
}

// Bytes from a row pointer to this column of an array, in the row itself or in one beside it.
std::string RowEmitter::index(ir::Array array, int beside) const {
    const Group& group = plan_.groups[core::at(plan_.group_of[core::at(array)])];
    if (group.along == Along::y) return array_offset(array);
    std::string name = (in_last_column_ ? "%last" : "%at") + str(plan_.ordinal_of[core::at(array)]);
    if (beside == 0) return name;
    return name + "_" + word_of(beside) + str(stage_plan_.input_of(plan_.group_of[core::at(array)]));
}

std::string RowEmitter::place(const std::string& row, ir::Array array, int beside) {
    if (in_loop_) return out_.pointer(row, index(array, beside));
    std::string here = out_.pointer(row, array_offset(array));
    if (!base_.empty()) here = out_.pointer(here, base_);
    const std::string input = str(stage_plan_.input_of(plan_.group_of[core::at(array)]));
    return beside == 0 ? here : out_.pointer(here, "%" + (word_of(beside) + input));
}

// In a volume the row that is made has a place of its own, as far from the row whose pointer is used in all planes of a call.
std::string RowEmitter::output_place(ir::Array array, int row) {
    return place(output_pointer(array, row), array,
                 plan_.volume && stage_plan_.made_from(plan_, plan_.group_of[core::at(array)]) >= 0 ? kMade : 0);
}

std::string RowEmitter::store_place(std::size_t store, int row) {
    const ir::Array array = classes_.stores[store].first;
    if (store >= ahead_) return output_place(array, row);
    return out_.pointer(output_place(array, row + kAhead), str(static_cast<long long>(kAhead) * types_.vector_bytes));
}

std::string RowEmitter::load(const ir::Instruction& instruction, int row, int dx) {
    for (std::size_t i = 0; i < ahead_ && in_loop_ && !in_last_column_; ++i) {
        const auto& [array, value] = classes_.stores[i];
        const bool made_here = array == instruction.index && dx == kAhead && row >= kAhead && row < rows_ + kAhead;
        if (made_here) return get(value, row - kAhead, 0);
    }
    const std::string here = place(row_pointer(instruction.index, row), instruction.index, instruction.offset[plan_.volume ? 1 : 2]);
    const std::string from = out_.pointer(here, str(static_cast<long long>(dx) * types_.vector_bytes));
    // In a volume no cell to the left in a neighbouring row is read, because a stencil reaches along one axis at a time (plan_stage).
    return out_.load_real(plan_.volume && !in_loop_ && dx < 0 ? left_of_piece(instruction.index, row, dx, from) : from);
}

// The values before the first column of a piece are those that the piece before it has left in `edge`.
std::string RowEmitter::left_of_piece(ir::Array array, int row, int dx, const std::string& memory) {
    const int group = plan_.group_of[core::at(array)], input = stage_plan_.input_of(group);
    const int pointer = stage_plan_.input_pointer(input, rows_) + row - stage_plan_.inputs[core::at(input)].low;
    const long long place =
        (static_cast<long long>(pointer) * plan_.most_arrays() + plan_.ordinal_of[core::at(array)]) * stage_plan_.columns - dx - 1;
    const std::string kept = out_.pointer("%edge", str(place * types_.vector_bytes));
    edges_.emplace(std::tuple{array, row, dx}, kept);
    return out_.assign("select i1 %row_begins, ptr " + memory + ", ptr " + kept);
}

// A call overwrites no row that it still reads for the next row.
void RowEmitter::leave_piece() {
    load_member(out_, offsetof(RowArguments, row_bytes), "i64", "%row_bytes");
    out_.line("%row_ends = icmp eq i64 %end, %row_bytes");
    out_.line("br i1 %row_ends, label %row_end, label %piece_end");
    out_.label("piece_end");
    for (const auto& [what, kept] : edges_) {
        const auto& [array, row, dx] = what;
        const std::string behind = out_.pointer(out_.pointer(row_pointer(array, row), array_offset(array)), "%end");
        out_.store_real(out_.load_real(out_.pointer(behind, str(static_cast<long long>(dx) * types_.vector_bytes))), kept);
    }
    out_.line("ret void");
    out_.label("row_end");
    base_.clear();
}

std::string RowEmitter::axis(const ir::Instruction& instruction, int row, int dx) {
    std::string table = "%axis" + str(instruction.index);
    if (along_x(instruction.index)) {
        std::string here = in_loop_ ? out_.pointer(table, "%j") : base_.empty() ? table : out_.pointer(table, base_);
        return out_.load_real(out_.pointer(here, str(static_cast<long long>(dx) * types_.vector_bytes)));
    }
    const std::size_t direction = core::at(instruction.index % 3), along = plan_.volume ? 2 : 1;
    const int entry = direction == along ? row : instruction.offset[direction];
    return out_.number(table, entry);
}

}  // namespace mottle::backend::cpu
