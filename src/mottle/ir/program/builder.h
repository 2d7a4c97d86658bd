// mottle/ir/program/builder.h: appends instructions to a Code, sharing equal ones and folding constants; elementary functions build on it
#pragma once
#include "mottle/ir/program/program.h"

#include <optional>
#include <span>
#include <unordered_map>

namespace mottle::ir {

/// Equal instructions get one value (share_common). An operation on literals alone is folded in f64, in f32 code too: what hoisting it into
/// a uniform would give; a literal is rounded once, when a backend takes it. Word operations and bit casts fold in the width of the code.
/// A select on a comparison of literals takes its side; the comparison stays behind, unused.
class Builder {
   public:
    explicit Builder(bool f64) : f64_(f64) {}
    bool f64() const { return f64_; }

    Value literal(double value);
    Value word(std::uint64_t value);
    Value uniform(int index);
    Value load(Array array, int dx = 0, int dy = 0, int dz = 0);
    Value axis(Axis axis, int dx = 0, int dy = 0, int dz = 0);
    Value neighbour(Array array);
    Value edge(Edge edge);
    Value row_sum(Value a, Value b);
    Value add(Value a, Value b);
    Value sub(Value a, Value b);
    Value mul(Value a, Value b);
    Value div(Value a, Value b);
    Value sqrt(Value a);
    Value fma(Value a, Value b, Value c);
    Value neg(Value a);
    Value abs(Value a);
    Value floor(Value a);
    Value round_single(Value a);
    Value less(Value a, Value b);
    Value less_equal(Value a, Value b);
    Value equal(Value a, Value b);
    Value select(Value mask, Value a, Value b);
    Value word_op(Op op, Value a, Value b);
    Value to_word(Value a);
    Value to_real(Value a);

    Value emit(const Instruction& instruction);
    const Code& code() const { return code_; }
    /// The code that `roots` need and nothing else, operands first and from left to right; renumbers the roots. The order does not depend on
    /// the order of building, which C++ leaves open where calls are nested: f(b.load(0), b.load(1)).
    Code take(std::span<Value> roots) const;
    /// A stage that stores values of this code; in the order of take().
    Stage stage(const std::string& name, const std::vector<std::pair<Array, Value>>& stores) const;
    /// The code of one value, which is its last instruction; in the order of take().
    Code code_of(Value value) const;

   private:
    std::optional<Value> fold(const Instruction& instruction);

    bool f64_;
    Code code_;
    std::unordered_multimap<std::size_t, Value> seen_;
};

}  // namespace mottle::ir
