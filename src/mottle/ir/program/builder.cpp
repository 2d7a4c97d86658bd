// mottle/ir/program/builder.cpp: value numbering and constant folding
#include "mottle/ir/program/builder.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <cmath>
#include <limits>

namespace mottle::ir {
namespace {

std::size_t hash(const Instruction& instruction) {
    std::uint64_t h = static_cast<std::uint64_t>(instruction.op);
    auto mix = [&h](std::uint64_t x) {
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    };
    for (Value arg : instruction.args) mix(static_cast<std::uint32_t>(arg));
    mix(static_cast<std::uint32_t>(instruction.index));
    for (std::int8_t offset : instruction.offset) mix(static_cast<std::uint8_t>(offset));
    mix(instruction.bits);
    return static_cast<std::size_t>(h);
}

bool is_comparison(Op op) { return op == Op::less || op == Op::less_equal || op == Op::equal; }
bool is_constant(const Instruction& instruction) { return instruction.op == Op::literal || instruction.op == Op::word; }

Instruction operation(Op op, Value a, Value b = -1, Value c = -1) {
    Instruction result;
    result.op = op;
    result.args = {a, b, c};
    return result;
}

Instruction place(Op op, int index, int dx, int dy, int dz) {
    Instruction result;
    result.op = op;
    result.index = index;
    const int offset[3] = {dx, dy, dz};
    for (std::size_t i = 0; i < 3; ++i) {
        if (offset[i] < -128 || offset[i] > 127)
            throw core::InternalError("a stencil offset of " + std::to_string(offset[i]) + " cells; the largest is 127");
        result.offset[i] = static_cast<std::int8_t>(offset[i]);
    }
    return result;
}

}  // namespace

Value Builder::emit(const Instruction& instruction) {
    for (int i = 0; i < arity(instruction.op); ++i) {
        Value arg = instruction.args[core::at(i)];
        if (arg < 0 || arg >= static_cast<Value>(code_.size())) {
            throw core::InternalError(std::string("argument ") + std::to_string(i) + " of '" + name(instruction.op) +
                                      "' is not an earlier value");
        }
    }
    if (auto folded = fold(instruction)) return *folded;
    std::size_t key = hash(instruction);
    auto [first, last] = seen_.equal_range(key);
    for (auto it = first; it != last; ++it) {
        if (code_[core::at(it->second)] == instruction) return it->second;
    }
    auto value = static_cast<Value>(code_.size());
    code_.push_back(instruction);
    seen_.emplace(key, value);
    return value;
}

// The value that stands for `instruction`, if its operands decide it now. No algebra: 0*x and x+0 stay, they are not identities.
std::optional<Value> Builder::fold(const Instruction& instruction) {
    auto at = [&](std::size_t i) -> const Instruction& { return code_[core::at(instruction.args[i])]; };
    const Op op = instruction.op;
    if (op == Op::select) {
        const Instruction mask = at(0);
        if (!is_comparison(mask.op)) return std::nullopt;
        const Instruction& a = code_[core::at(mask.args[0])];
        const Instruction& b = code_[core::at(mask.args[1])];
        if (a.op != Op::literal || b.op != Op::literal) return std::nullopt;
        double x = a.literal(), y = b.literal();
        bool holds = mask.op == Op::less ? x < y : mask.op == Op::less_equal ? x <= y : x == y;
        return instruction.args[holds ? 1 : 2];
    }
    if (op == Op::neg && at(0).op == Op::neg) return at(0).args[0];
    const int operands = arity(op);
    if (operands == 0 || is_comparison(op) || op == Op::row_sum) return std::nullopt;
    Code code;
    Instruction folded = instruction;
    for (int i = 0; i < operands; ++i) {
        auto k = core::at(i);
        if (!is_constant(at(k))) return std::nullopt;
        folded.args[k] = static_cast<Value>(code.size());
        code.push_back(at(k));
    }
    code.push_back(folded);
    if (type_of(code, static_cast<Value>(operands)) == Type::word) return word(evaluate_word(code, f64_));
    if (op == Op::to_real) {
        std::uint64_t bits = code.front().bits;
        return literal(f64_ ? std::bit_cast<double>(bits) : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    }
    return literal(evaluate(code, {}));
}

Code Builder::code_of(Value value) const { return take({&value, 1}); }

Code Builder::take(std::span<Value> roots) const {
    Code kept;
    std::vector<Value> moved(code_.size(), -1);
    std::vector<Value> open;  // values whose operands are being placed
    for (Value& root : roots) {
        open.push_back(root);
        while (!open.empty()) {
            const auto v = core::at(open.back());
            Instruction instruction = code_[v];
            Value missing = -1;
            for (Value& arg : instruction.args) {
                if (arg < 0) continue;
                if (moved[core::at(arg)] < 0 && missing < 0) missing = arg;
                arg = moved[core::at(arg)];
            }
            if (missing >= 0) {
                open.push_back(missing);
                continue;
            }
            if (moved[v] < 0) {
                moved[v] = static_cast<Value>(kept.size());
                kept.push_back(instruction);
            }
            open.pop_back();
        }
        root = moved[core::at(root)];
    }
    return kept;
}

Stage Builder::stage(const std::string& name, const std::vector<std::pair<Array, Value>>& stores) const {
    std::vector<Value> roots;
    for (const auto& [array, value] : stores) roots.push_back(value);
    Stage stage{name, take(roots), stores};
    for (std::size_t i = 0; i < roots.size(); ++i) stage.stores[i].second = roots[i];
    return stage;
}

Value Builder::literal(double value) {
    Instruction result;
    result.bits = std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
    return emit(result);
}

Value Builder::word(std::uint64_t value) {
    Instruction result;
    result.op = Op::word;
    result.bits = f64_ ? value : value & 0xffffffffu;
    return emit(result);
}

Value Builder::uniform(int index) { return emit(place(Op::uniform, index, 0, 0, 0)); }
Value Builder::load(Array array, int dx, int dy, int dz) { return emit(place(Op::load, array, dx, dy, dz)); }
Value Builder::axis(Axis axis, int dx, int dy, int dz) { return emit(place(Op::axis, axis, dx, dy, dz)); }
Value Builder::neighbour(Array array) { return emit(place(Op::neighbour, array, 0, 0, 0)); }
Value Builder::edge(Edge edge) { return emit(place(Op::edge, edge, 0, 0, 0)); }
Value Builder::row_sum(Value a, Value b) { return emit(operation(Op::row_sum, a, b)); }
Value Builder::add(Value a, Value b) { return emit(operation(Op::add, a, b)); }
Value Builder::sub(Value a, Value b) { return emit(operation(Op::sub, a, b)); }
Value Builder::mul(Value a, Value b) { return emit(operation(Op::mul, a, b)); }
Value Builder::div(Value a, Value b) { return emit(operation(Op::div, a, b)); }
Value Builder::sqrt(Value a) { return emit(operation(Op::sqrt, a)); }
Value Builder::fma(Value a, Value b, Value c) { return emit(operation(Op::fma, a, b, c)); }
Value Builder::neg(Value a) { return emit(operation(Op::neg, a)); }
Value Builder::abs(Value a) { return emit(operation(Op::abs, a)); }
Value Builder::floor(Value a) { return emit(operation(Op::floor, a)); }
Value Builder::round_single(Value a) { return emit(operation(Op::round_single, a)); }
Value Builder::less(Value a, Value b) { return emit(operation(Op::less, a, b)); }
Value Builder::less_equal(Value a, Value b) { return emit(operation(Op::less_equal, a, b)); }
Value Builder::equal(Value a, Value b) { return emit(operation(Op::equal, a, b)); }
Value Builder::select(Value mask, Value a, Value b) { return emit(operation(Op::select, mask, a, b)); }
Value Builder::word_op(Op op, Value a, Value b) { return emit(operation(op, a, b)); }
Value Builder::to_word(Value a) { return emit(operation(Op::to_word, a)); }
Value Builder::to_real(Value a) { return emit(operation(Op::to_real, a)); }

}  // namespace mottle::ir
