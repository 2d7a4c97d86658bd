// mottle/ir/program/ring.cpp: splits the code of a stage at its row sums
#include "mottle/ir/program/ring.h"

namespace mottle::ir {

std::vector<bool> body_of(const Code& code) {
    std::vector<bool> body(code.size());
    for (std::size_t v = 0; v < code.size(); ++v) {
        const Instruction& instruction = code[v];
        body[v] = instruction.op == Op::neighbour || instruction.op == Op::edge;
        if (instruction.op == Op::row_sum) continue;
        for (Value arg : instruction.args) body[v] = body[v] || (arg >= 0 && body[core::at(arg)]);
    }
    return body;
}

RingSplit split_ring(const Code& code) {
    const std::vector<bool> body = body_of(code);
    // What the ring needs of the vertex itself, found backwards from the sums.
    std::vector<bool> needed(code.size());
    for (std::size_t v = code.size(); v-- > 0;) {
        const Instruction& instruction = code[v];
        if (instruction.op != Op::row_sum && !body[v] && !needed[v]) continue;
        for (Value arg : instruction.args) {
            if (arg >= 0) needed[core::at(arg)] = true;
        }
    }
    RingSplit split;
    for (std::size_t v = 0; v < code.size(); ++v) {
        const auto value = static_cast<Value>(v);
        if (code[v].op == Op::row_sum) {
            split.sums.push_back(value);
        } else {
            (body[v] ? split.body : needed[v] ? split.before : split.after).push_back(value);
        }
    }
    return split;
}

}  // namespace mottle::ir
