// mottle/backend/shift_classes.cpp: values equal up to a shift, and what one column of a block demands
#include "mottle/backend/shift_classes.h"

#include <algorithm>
#include <tuple>

namespace mottle::backend {

using ir::Op;

namespace {

bool commutes(Op op) {
    return op == Op::add || op == Op::mul || op == Op::fma || op == Op::equal || op == Op::word_add || op == Op::word_mul ||
           op == Op::word_mul_high || op == Op::word_and || op == Op::word_or || op == Op::word_xor;
}

auto order(const Shifted& s) { return std::make_tuple(s.klass, s.dx, s.dy); }

using Key = std::tuple<Op, std::int32_t, std::uint64_t, int, std::array<std::tuple<int, int, int>, 3>>;  // the fourth: the offset across

}  // namespace

ShiftClasses find_shift_classes(const ir::Stage& stage, bool volume) {
    const std::size_t along = volume ? 2 : 1, across = 3 - along;
    ShiftClasses result;
    std::map<Key, int> known;
    for (std::size_t v = 0; v < stage.code.size(); ++v) {
        const ir::Instruction& instruction = stage.code[v];
        ShiftClass klass{instruction, {}, ir::type_of(stage.code, static_cast<ir::Value>(v)), true};
        int n = ir::arity(instruction.op);
        for (int i = 0; i < n; ++i) {
            auto at = core::at(i);
            klass.args[at] = result.of_value[core::at(instruction.args[at])];
            klass.uniform = klass.uniform && result.classes[core::at(klass.args[at].klass)].uniform;
        }
        // operands that commute are put in one order, so that a(0)+a(1) and a(0)+a(-1) are seen to be one class
        if (commutes(instruction.op) && order(klass.args[1]) < order(klass.args[0])) std::swap(klass.args[0], klass.args[1]);
        Shifted here{};
        if (instruction.op == Op::load || instruction.op == Op::axis) {
            klass.uniform = false;
            here.dx = instruction.offset[0];
            here.dy = instruction.offset[along];
        }
        for (int i = n - 1; i >= 0; --i) {
            const Shifted& arg = klass.args[core::at(i)];
            if (!result.classes[core::at(arg.klass)].uniform) here = arg;  // the first varying argument is the anchor
        }
        Key key{instruction.op, instruction.index, instruction.bits, instruction.offset[across], {}};
        for (int i = 0; i < n; ++i) {
            Shifted& arg = klass.args[core::at(i)];
            if (!result.classes[core::at(arg.klass)].uniform) {
                arg.dx -= here.dx;
                arg.dy -= here.dy;
            }
            std::get<4>(key)[core::at(i)] = order(arg);
        }
        auto [found, fresh] = known.try_emplace(key, static_cast<int>(result.classes.size()));
        if (fresh) result.classes.push_back(klass);
        here.klass = found->second;
        result.of_value.push_back(here);
    }
    for (const auto& [array, value] : stage.stores) result.stores.emplace_back(array, result.of_value[core::at(value)]);
    return result;
}

int longest_chain(const ShiftClasses& classes) {
    std::vector<int> chain(classes.classes.size(), 0);
    for (std::size_t k = 0; k < chain.size(); ++k) {
        const ShiftClass& klass = classes.classes[k];
        if (klass.uniform || klass.instruction.op == Op::load || klass.instruction.op == Op::axis) continue;
        for (int i = 0; i < ir::arity(klass.instruction.op); ++i)
            chain[k] = std::max(chain[k], chain[core::at(klass.args[core::at(i)].klass)]);
        if (klass.instruction.op != Op::neg) ++chain[k];  // the instruction that takes a negation does it
    }
    return chain.empty() ? 0 : *std::max_element(chain.begin(), chain.end());
}

ColumnDemand find_demand(const ShiftClasses& classes, int rows) {
    ColumnDemand demand;
    auto want = [&](const Shifted& value, int row, int dx) {
        if (classes.classes[core::at(value.klass)].uniform) return;
        demand.ranges[{value.klass, row + value.dy}].columns.insert(dx + value.dx);
    };
    for (int row = 0; row < rows; ++row) {
        for (const auto& [array, value] : classes.stores) want(value, row, 0);
    }
    for (int k = static_cast<int>(classes.classes.size()) - 1; k >= 0; --k) {  // users first
        const ShiftClass& klass = classes.classes[core::at(k)];
        bool table = klass.instruction.op == Op::axis, memory = table || klass.instruction.op == Op::load;
        for (auto it = demand.ranges.lower_bound({k, -1000}); it != demand.ranges.end() && it->first.first == k; ++it) {
            auto& range = it->second;
            range.low = *range.columns.begin();
            range.high = *range.columns.rbegin();
            // A cell to the left may have been overwritten already, so it must be carried; a cell to the right can be read again later, if not twice.
            if (memory && !table) range.high = std::max(range.high, 0);
            range.carried =
                range.low < range.high && (memory ? !table && (range.low < 0 || range.columns.size() > 2) : klass.type == ir::Type::real);
            int row = it->first.second;
            auto visit = [&](int dx) {
                for (int i = 0; i < ir::arity(klass.instruction.op); ++i) want(klass.args[core::at(i)], row, dx);
            };
            if (range.carried) {
                visit(range.high);
            } else {
                std::for_each(range.columns.begin(), range.columns.end(), visit);
            }
        }
    }
    return demand;
}

int ColumnDemand::carried_values() const {
    int count = 0;
    for (const auto& [key, range] : ranges) {
        if (range.carried) count += range.high - range.low;
    }
    return count;
}

}  // namespace mottle::backend
