// mottle/ir/program/program.cpp: names, types and look-ups of the IR
#include "mottle/ir/program/program.h"

#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::ir {
namespace {

struct Description {
    const char* name;
    int arity;
    Type type;
};

// By Op.
constexpr Description kOperations[] = {
#define MOTTLE_OPERAND(id, arguments, type) {#id, arguments, Type::type},
#define MOTTLE_ARITHMETIC(id, arguments, type) {#id, arguments, Type::type},
#include "mottle/ir/program/operations.def"
};
static_assert(static_cast<std::size_t>(Op::to_real) + 1 == std::size(kOperations));

const Description& describe(Op op) {
    const auto index = static_cast<std::size_t>(op);
    if (index < std::size(kOperations)) return kOperations[index];
    throw core::InternalError("operation " + std::to_string(index) + " is not in the list of ir/program/operations.def");
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
Arithmetic arithmetic(Op op) {
    constexpr auto kFirst = static_cast<std::size_t>(Op::add);  // arithmetic comes last
    const auto index = static_cast<std::size_t>(op);
    if (index < kFirst || index >= std::size(kOperations)) throw core::InternalError(std::string("'") + name(op) + "' is no arithmetic");
    return static_cast<Arithmetic>(index - kFirst);
}
const char* name(Op op) { return describe(op).name; }

Array Program::find_array(const std::string& name) const {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].name == name) return static_cast<Array>(i);
    }
    return -1;
}

bool Program::flushes(core::Index number, int stages) const { return flush_step && is_seam(number, stages); }

bool Program::is_seam(core::Index number, int stages) const {
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
