// mottle/ir/program/evaluate.h: the meaning of every operation, once, in plain C++: uniforms, initial expressions and the reference backend use it
#pragma once
#include "mottle/ir/program/program.h"

#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace mottle::ir {

/// Rounds a host value to the precision of a kernel, as the kernel's own arithmetic would: f32 to 24 bits with unbounded exponent, then what
/// is below 2^-126 becomes a zero of its sign. f64 stays as it is.
template <class Real>
Real round_to(double value);
template <>
inline float round_to<float>(double value) {
    // The first value that rounds up to 2^-126 at 24 bits; a conversion in IEEE mode would round at 2^-149 instead.
    constexpr double kSmallest = 0x1.ffffffp-127;
    const float rounded = static_cast<float>(value);
    return std::abs(value) < kSmallest ? std::copysign(0.0F, rounded) : rounded;
}
template <>
inline double round_to<double>(double value) {
    return value;
}

/// Host f64 work needs the default floating point mode: round to nearest, subnormals kept. Throws: InternalError in any other.
void require_default_mode();

/// The value of `code`'s last instruction, f64; `inputs` answers Op::uniform. No loads, no axes. Throws: InternalError.
double evaluate(const Code& code, std::span<const double> inputs);
/// The part of `code` that makes its value infinite or no number, though all that it is made of is finite, as code of its own. Nothing where the value is finite.
std::optional<Code> part_beyond_numbers(const Code& code, std::span<const double> inputs);
/// The same where the last instruction is a word and nothing varies: its bits in code of that width.
std::uint64_t evaluate_word(const Code& code, bool f64);

/// All uniforms of `program` for one step. Shape: inputs as Program::inputs, result as Program::uniforms.
std::vector<double> evaluate_uniforms(const Program& program, std::span<const double> inputs);

/// Evaluates code over `count` cells at once, instruction by instruction (a row, or a piece of one; 256 to 1024 cells stay in the cache).
/// f32 is the contract's f32 only while the caller has flush-to-zero and denormals-are-zero set (backend::FlushMode).
/// There is no contraction: every operation is rounded by itself, fma once.
template <class Real>
class RowEvaluator {
   public:
    explicit RowEvaluator(int count);
    int count() const { return count_; }

    /// `uniform(index)` gives a uniform's value, already rounded to Real; `fetch(instruction, out)` fills the span `out` (count cells) for
    /// Op::load, Op::axis, Op::neighbour and Op::edge. Throws: InternalError (f64 in another mode than the default).
    template <class UniformOf, class Fetch>
    void run(const Code& code, UniformOf&& uniform, Fetch&& fetch) {
        begin(code);
        for (std::size_t v = 0; v < code.size(); ++v) evaluate_value(code[v], v, uniform, fetch);
    }

    /// Evaluates the values of `which` alone, in that order; `start` comes before the first of them. Row sums are the caller's: see `lanes`.
    template <class UniformOf, class Fetch>
    void run_some(const Code& code, std::span<const Value> which, UniformOf&& uniform, Fetch&& fetch) {
        for (const Value value : which) evaluate_value(code[core::at(value)], core::at(value), uniform, fetch);
    }
    /// Makes room for every value of `code`.
    void start(const Code& code) { begin(code); }
    /// The values of one instruction, to be read or written.
    std::span<Real> lanes(Value v) { return row(core::at(v)); }

    /// `count` values of one instruction of the code last run; valid until the next run.
    std::span<const Real> value(Value v) const { return {lanes_.data() + core::at(v) * stride_, core::at(count_)}; }

   private:
    static bool is_fetched(Op op) { return op == Op::load || op == Op::axis || op == Op::neighbour || op == Op::edge; }
    template <class UniformOf, class Fetch>
    void evaluate_value(const Instruction& instruction, std::size_t v, UniformOf& uniform, Fetch& fetch) {
        if (instruction.op == Op::uniform) {
            fill(v, uniform(instruction.index));
        } else if (is_fetched(instruction.op)) {
            fetch(instruction, row(v));
        } else {
            apply(instruction, v);
        }
    }
    void begin(const Code& code);
    void fill(std::size_t v, Real value);
    void apply(const Instruction& instruction, std::size_t v);
    std::span<Real> row(std::size_t v) { return {lanes_.data() + v * stride_, core::at(count_)}; }

    int count_;
    std::size_t stride_;
    bool wide_;                // this processor has AVX2 and FMA
    std::vector<Real> lanes_;  // one row per instruction; masks (0 or all ones) and words live in the same bits
};

extern template class RowEvaluator<float>;
extern template class RowEvaluator<double>;

}  // namespace mottle::ir
