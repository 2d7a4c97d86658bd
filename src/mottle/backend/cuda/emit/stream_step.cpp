// mottle/backend/cuda/emit/stream_step.cpp: the body of one step for the cells of a thread through which rows, or planes, come one after another
#include "mottle/backend/cuda/emit/stream_step.h"

#include "mottle/backend/coordinates.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {

using ir::Op;

namespace {
using core::str;
constexpr const char* kWhereLengths[] = {"where.nx", "where.ny", "where.nz"};

const ir::Stage& stage_of(const FusedSteps& of, std::size_t stage, bool flush) {
    return (flush ? *of.plan.program.flush_step : of.plan.program.step).stages[stage];
}
}  // namespace

StepEmitter::StepEmitter(const FusedSteps& of, std::size_t stage, bool flush, bool border, int rows)
    : of_(of),
      use_(stage_of(of, stage, flush)),
      classes_(find_shift_classes(stage_of(of, stage, flush), rows > 0)),
      border_(border),
      rows_(rows),
      carried_(of.plan.carried(stage)) {
    for (const ShiftClass& klass : classes_.classes) {
        std::pair<int, int> reach{100, -100};
        for (int i = 0; i < ir::arity(klass.instruction.op); ++i) {
            const Shifted& arg = klass.args[core::at(i)];
            if (klass_of(arg.klass).uniform) continue;
            const auto& inner = reach_[core::at(arg.klass)];
            reach = {std::min(reach.first, inner.first + arg.dx), std::max(reach.second, inner.second + arg.dx)};
        }
        reach_.push_back(reach.first > reach.second ? std::pair{0, 0} : reach);
    }
}

std::string StepEmitter::emit(const std::string& name) {
    std::string stores;
    for (int row = 0; row < std::max(1, rows_); ++row) {
        for (int col = 0; col < of_.columns; ++col) {
            for (const auto& [array, value] : classes_.stores)
                stores += "    " + cell("out", row, array, col) + " = " + get(value, row, 0, col) + ";\n";
            for (const ir::Array array : carried_)
                stores += "    " + cell("out", row, array, col) + " = " + cell("c", row, array, col) + ";\n";
        }
    }
    const std::string kind = volume() ? "Plane" : "Cells";
    std::string text = "__device__ __forceinline__ " + kind + " " + name +
                       "(const Where& where, const Tables& tables, const int r, const real (&u)[kColumns], ";
    text += volume() ? "Plane& n, const Plane& c, Plane& s, Cells& above, Cells& below) {\n" : "Cells n, const Cells& c, Cells s) {\n";
    if (border_ || volume()) {
        text += ghosts_beyond(march(), "r == 0", false, "n", 0, std::max(1, rows_));
        text += ghosts_beyond(march(), "r == " + std::string(kWhereLengths[march()]) + " - 1", true, "s", 0, std::max(1, rows_));
    }
    if (volume()) {
        text += ghosts_beyond(1, "where.y == 0", false, "above", 0, 1);
        text += ghosts_beyond(1, "where.y + " + str(rows_) + " == where.ny", true, "below", rows_ - 1, 1);
    }
    return text + body_ + "    " + kind + " out;\n" + stores + "    return out;\n}\n";
}

std::string StepEmitter::cell(const std::string& where, int row, ir::Array array, int col) const {
    return where + (volume() ? ".row[" + str(row) + "].a" : ".a") + str(array) + "[" + str(col) + "]";
}

// Computes the ghosts beyond a side that does not wrap from the cells inside, ghost columns included. In a volume they replace cells that nothing else
// reads.
std::string StepEmitter::ghosts_beyond(int d, const std::string& condition, bool far, const std::string& to, int first, int rows) const {
    std::string text;
    for (const ir::Array array : of_.plan.cells) {
        const ir::GhostRule& rule = of_.ghosts_of(array);
        if (wraps_along(rule, d) || use_.reach(array, core::at(d)) == 0) continue;
        for (int row = first; row < first + rows; ++row) {
            for (int col = 0; col < of_.columns; ++col) {
                const std::string beyond = d == march() ? cell(to, row, array, col) : to + ".a" + str(array) + "[" + str(col) + "]";
                text += "        " + beyond + " = " +
                        ghost_text(rule[core::at(2 * d + (far ? 1 : 0))], cell("c", row, array, col), of_.f64()) + ";\n";
            }
        }
    }
    return text.empty() ? text : "    if (" + condition + ") {\n" + text + "    }\n";
}

std::string StepEmitter::define(ir::Type type, const std::string& text) {
    std::string name = "v" + str(next_++);
    body_ += "    const " + std::string(type_name(type)) + " " + name + " = " + text + ";\n";
    return name;
}

std::string StepEmitter::get(const Shifted& value, int row, int along, int col) {
    if (klass_of(value.klass).uniform) return compute(value.klass, 0, 0, 0);
    return compute(value.klass, row, along + value.dy, col + value.dx);
}

std::string StepEmitter::compute(int klass, int row, int along, int col) {
    const auto key = std::make_tuple(klass, row, along, col);
    if (auto found = known_.find(key); found != known_.end()) return found->second;
    const ShiftClass& what = klass_of(klass);
    const auto& reach = reach_[core::at(klass)];
    const int middle = col + (reach.first + reach.second) / 2;
    std::string text;
    if (what.instruction.op == Op::axis) {
        text = axis(what.instruction, row, along, col);
    } else if (!what.uniform && (middle < 0 || middle >= of_.columns)) {
        const bool left = middle < 0;  // a cell of a neighbouring lane, which has computed the same value
        const std::string there = compute(klass, row, along, left ? col + of_.columns : col - of_.columns);
        text = of_.ring ? "__shfl_sync" : left ? "__shfl_up_sync" : "__shfl_down_sync";
        text += "(0xffffffffu, " + (what.type == ir::Type::mask ? "(int)" + there : there);
        text += of_.ring ? left ? ", where.left)" : ", where.right)" : ", 1)";
        if (what.type == ir::Type::mask) text += " != 0";
    } else if (what.instruction.op == Op::load) {
        text = load(what.instruction, row, along, col);
    } else if (what.instruction.op == Op::uniform) {
        text = "u[" + str(what.instruction.index) + "]";
    } else {
        std::vector<std::string> args;
        args.reserve(what.args.size());
        for (int i = 0; i < ir::arity(what.instruction.op); ++i) args.push_back(get(what.args[core::at(i)], row, along, col));
        text = expression(what.instruction, args, of_.f64());
    }
    return known_[key] = define(what.type, text);
}

std::string StepEmitter::load(const ir::Instruction& instruction, int row, int along, int col) {
    const ir::Array array = instruction.index;
    const int there = row + (volume() ? instruction.offset[1] : 0);
    if (of_.plan.program.arrays[core::at(array)].kind != ir::ArrayInfo::Kind::input) {
        if (volume() && (there < 0 || there >= rows_))
            return std::string(there < 0 ? "above" : "below") + ".a" + str(array) + "[" + str(col) + "]";
        return cell(along < 0 ? "n" : along > 0 ? "s" : "c", there, array, col);
    }
    const auto key = std::make_tuple(array, there, along);
    if (!map_rows_.count(key)) {
        const std::string name = "map" + str(array) + "_" + str(along + 1) + (volume() ? "_" + str(there + 1) : "");
        body_ += "    const Columns " + name + " = map" + str(array) + "_" + (border_ ? "border" : "inner") + "(where, tables, r + " +
                 str(along) + (volume() ? ", where.y + " + str(there) : "") + ", u);\n";
        map_rows_[key] = name;
    }
    return map_rows_[key] + ".c[" + str(col) + "]";
}

std::string StepEmitter::axis(const ir::Instruction& instruction, int row, int along, int col) {
    const int d = direction(static_cast<ir::Axis>(instruction.index));
    const std::string table = "tables.axis_" + std::string(kAxisNames[instruction.index]);
    const auto entry = [&](bool wraps, const std::string& i, int axis) {
        return table + "[" + index_text(wraps, i, kWhereLengths[axis]) + "]";
    };
    if (d > march()) return table + "[0]";
    if (d == march()) return entry((border_ || volume()) && of_.wraps(d), "r + " + str(along), d);
    if (d == 1) return entry(of_.wraps(1), "where.y + " + str(row + instruction.offset[1]), 1);
    if (!border_ && col >= 0 && col < of_.columns) return table + "[where." + (volume() ? "column" : "x") + " + " + str(col) + "]";
    return entry(of_.wraps(0), "where.x + " + str(col), 0);
}

}  // namespace mottle::backend::cuda
