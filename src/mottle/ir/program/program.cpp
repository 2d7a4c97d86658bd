// mottle/ir/program/program.cpp: names, types and look-ups of the IR
#include "mottle/ir/program/program.h"

#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::ir {
namespace {

struct Description {
    Op op;
    const char* name;
    int arity;
    Type type;  // of select: that of its operands
};

// In the order of enum Op.
constexpr Description kOperations[] = {
    {Op::literal, "literal", 0, Type::real},   {Op::word, "word", 0, Type::word},
    {Op::uniform, "uniform", 0, Type::real},   {Op::load, "load", 0, Type::real},
    {Op::axis, "axis", 0, Type::real},         {Op::neighbour, "neighbour", 0, Type::real},
    {Op::edge, "edge", 0, Type::real},         {Op::row_sum, "row_sum", 2, Type::real},
    {Op::add, "add", 2, Type::real},           {Op::sub, "sub", 2, Type::real},
    {Op::mul, "mul", 2, Type::real},           {Op::div, "div", 2, Type::real},
    {Op::sqrt, "sqrt", 1, Type::real},         {Op::fma, "fma", 3, Type::real},
    {Op::neg, "neg", 1, Type::real},           {Op::abs, "abs", 1, Type::real},
    {Op::floor, "floor", 1, Type::real},       {Op::round_single, "round_single", 1, Type::real},
    {Op::less, "less", 2, Type::mask},         {Op::less_equal, "less_equal", 2, Type::mask},
    {Op::equal, "equal", 2, Type::mask},       {Op::select, "select", 3, Type::real},
    {Op::word_add, "word_add", 2, Type::word}, {Op::word_sub, "word_sub", 2, Type::word},
    {Op::word_mul, "word_mul", 2, Type::word}, {Op::word_mul_high, "word_mul_high", 2, Type::word},
    {Op::word_and, "word_and", 2, Type::word}, {Op::word_or, "word_or", 2, Type::word},
    {Op::word_xor, "word_xor", 2, Type::word}, {Op::word_shl, "word_shl", 2, Type::word},
    {Op::word_shr, "word_shr", 2, Type::word}, {Op::to_word, "to_word", 1, Type::word},
    {Op::to_real, "to_real", 1, Type::real},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < std::size(kOperations); ++i) {
        if (static_cast<std::size_t>(kOperations[i].op) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

const Description& describe(Op op) {
    const auto index = static_cast<std::size_t>(op);
    if (index < std::size(kOperations)) return kOperations[index];
    throw core::InternalError("operation " + std::to_string(index) + " is not in the list of ir/program/program.h");
}

}  // namespace

Type type_of(const Code& code, Value value) {
    const Instruction* instruction = &code[core::at(value)];
    while (instruction->op == Op::select) instruction = &code[core::at(instruction->args[1])];
    return describe(instruction->op).type;
}

int arity(Op op) { return describe(op).arity; }
int operations(const Code& code) {
    return static_cast<int>(std::count_if(code.begin(), code.end(), [](const Instruction& in) { return arity(in.op) > 0; }));
}
const char* name(Op op) { return describe(op).name; }

Array Program::find_array(const std::string& name) const {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].name == name) return static_cast<Array>(i);
    }
    return -1;
}

bool Program::flushes(core::Index number, int stages) const {
    if (!flush_step) return false;
    if (!staged) return is_flush_step(number);
    const core::Index place = number % stages;
    return place + 1 == stages || (place == 0 && staged->order == 2);
}

int Program::state_count() const {
    int count = 0;
    for (const auto& array : arrays) count += array.kind == ArrayInfo::Kind::state ? 1 : 0;
    return count;
}

}  // namespace mottle::ir
