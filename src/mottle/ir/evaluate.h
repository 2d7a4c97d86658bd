// mottle/ir/evaluate.h: the meaning of every operation, once, in scalar C++: uniforms, initial expressions and the reference backend use it
#pragma once
#include "mottle/ir/program.h"

#include <span>
#include <vector>

namespace mottle::ir {

/// One lane of a value: a real, a mask (0 or all ones) or a word, as bits.
template <class Real>
union Lane;

/// The value of `code`'s last instruction, f64; `inputs` answers Op::uniform. No loads, no axes.
double evaluate(const Code& code, std::span<const double> inputs);

/// All uniforms of `program` for one step. Shape: inputs as Program::inputs, result as Program::uniforms.
std::vector<double> evaluate_uniforms(const Program& program, std::span<const double> inputs);

/// Evaluates `code` over `count` cells at once, instruction by instruction (a row, or a piece of one).
/// `uniform(i)` gives a uniform's value already rounded to Real, `fetch(instruction, out)` fills out[0..count) for Op::load and Op::axis.
/// Result: the values of every instruction, `count` apart; valid until the next call.
template <class Real>
class RowEvaluator {
   public:
    explicit RowEvaluator(int count) : count_(count) {}
    template <class UniformOf, class Fetch>
    void run(const Code& code, UniformOf&& uniform, Fetch&& fetch);
    std::span<const Real> value(Value v) const;

   private:
    void apply(const Code& code, Value v);  // every Op but uniform, load, axis
    int count_;
    std::vector<Real> lanes_;  // reals; masks and words live in the same bits
};

}  // namespace mottle::ir
