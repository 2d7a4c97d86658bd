// mottle/ir/program.cpp: names, types and look-ups of the IR
#include "mottle/ir/program.h"

#include "mottle/core/error.h"

namespace mottle::ir {

Type type_of(const Code& code, Value value) {
    const Instruction* instruction = &code[static_cast<std::size_t>(value)];
    while (instruction->op == Op::select) instruction = &code[static_cast<std::size_t>(instruction->args[1])];
    switch (instruction->op) {
        case Op::less:
        case Op::less_equal:
        case Op::equal: return Type::mask;
        case Op::word:
        case Op::word_add:
        case Op::word_sub:
        case Op::word_mul:
        case Op::word_and:
        case Op::word_or:
        case Op::word_xor:
        case Op::word_shl:
        case Op::word_shr:
        case Op::to_word: return Type::word;
        default: return Type::real;
    }
}

int arity(Op op) {
    switch (op) {
        case Op::literal:
        case Op::word:
        case Op::uniform:
        case Op::load:
        case Op::axis: return 0;
        case Op::sqrt:
        case Op::neg:
        case Op::abs:
        case Op::floor:
        case Op::round_single:
        case Op::to_word:
        case Op::to_real: return 1;
        case Op::fma:
        case Op::select: return 3;
        default: return 2;
    }
}

const char* name(Op op) {
    switch (op) {
        case Op::literal: return "literal";
        case Op::word: return "word";
        case Op::uniform: return "uniform";
        case Op::load: return "load";
        case Op::axis: return "axis";
        case Op::add: return "add";
        case Op::sub: return "sub";
        case Op::mul: return "mul";
        case Op::div: return "div";
        case Op::sqrt: return "sqrt";
        case Op::fma: return "fma";
        case Op::neg: return "neg";
        case Op::abs: return "abs";
        case Op::floor: return "floor";
        case Op::round_single: return "round_single";
        case Op::less: return "less";
        case Op::less_equal: return "less_equal";
        case Op::equal: return "equal";
        case Op::select: return "select";
        case Op::word_add: return "word_add";
        case Op::word_sub: return "word_sub";
        case Op::word_mul: return "word_mul";
        case Op::word_and: return "word_and";
        case Op::word_or: return "word_or";
        case Op::word_xor: return "word_xor";
        case Op::word_shl: return "word_shl";
        case Op::word_shr: return "word_shr";
        case Op::to_word: return "to_word";
        case Op::to_real: return "to_real";
    }
    throw core::InternalError("operation " + std::to_string(static_cast<int>(op)) + " is not in the list of ir/program.h");
}

Array Program::find_array(const std::string& name) const {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].name == name) return static_cast<Array>(i);
    }
    return -1;
}

int Program::state_count() const {
    int count = 0;
    for (const auto& array : arrays) count += array.kind == ArrayInfo::Kind::state ? 1 : 0;
    return count;
}

}  // namespace mottle::ir
