// mottle/ir/program/evaluate.cpp: every operation over a row of cells, and the host's f64 code
#include "mottle/ir/program/evaluate.h"

#include "mottle/core/error.h"
#include "mottle/core/vector_level.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace mottle::ir {
namespace {

template <class Real>
using WordOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

__extension__ using Word128 = unsigned __int128;
template <class Real>
using DoubleWordOf = std::conditional_t<sizeof(Real) == 4, std::uint64_t, Word128>;

template <class Real>
constexpr WordOf<Real> kSignBit = WordOf<Real>{1} << (8 * sizeof(Real) - 1);

template <class Real>
WordOf<Real> bits(Real x) {
    return std::bit_cast<WordOf<Real>>(x);
}
template <class Real>
Real real(WordOf<Real> x) {
    return std::bit_cast<Real>(x);
}
template <class Real>
Real mask(bool holds) {
    return real<Real>(holds ? static_cast<WordOf<Real>>(~WordOf<Real>{0}) : WordOf<Real>{0});
}

/// The rows of an operation. `out` never overlaps an operand: every value has a row of its own.
template <class Real>
struct Rows {
    const Real* a;
    const Real* b;
    const Real* c;
    Real* out;
    int count;
};

// Inlined into each caller, so that the loops take that caller's instruction set.
template <class Real, class Operation>
[[gnu::always_inline]] inline void each(const Rows<Real>& rows, Operation operation) {
    const Real* __restrict a = rows.a;
    const Real* __restrict b = rows.b;
    const Real* __restrict c = rows.c;
    Real* __restrict out = rows.out;
    for (int i = 0; i < rows.count; ++i) out[i] = operation(a[i], b[i], c[i]);
}

template <class Real>
[[gnu::always_inline]] inline void apply_operation(Op op, const Rows<Real>& rows) {
    using Word = WordOf<Real>;
    auto words = [&rows](auto operation) {
        each(rows, [operation](Real a, Real b, Real) { return real<Real>(operation(bits(a), bits(b))); });
    };
    if (op == Op::round_single) return each(rows, [](Real a, Real, Real) { return static_cast<Real>(round_to<float>(a)); });
    switch (arithmetic(op)) {
        case Arithmetic::add:
            return each(rows, [](Real a, Real b, Real) { return a + b; });
        case Arithmetic::sub:
            return each(rows, [](Real a, Real b, Real) { return a - b; });
        case Arithmetic::mul:
            return each(rows, [](Real a, Real b, Real) { return a * b; });
        case Arithmetic::div:
            return each(rows, [](Real a, Real b, Real) { return a / b; });
        case Arithmetic::sqrt:
            return each(rows, [](Real a, Real, Real) { return std::sqrt(a); });
        case Arithmetic::fma:
            return each(rows, [](Real a, Real b, Real c) { return std::fma(a, b, c); });
        case Arithmetic::floor:
            return each(rows, [](Real a, Real, Real) { return std::floor(a); });
        case Arithmetic::neg:
            return each(rows, [](Real a, Real, Real) { return real<Real>(bits(a) ^ kSignBit<Real>); });
        case Arithmetic::abs:
            return each(rows, [](Real a, Real, Real) { return real<Real>(bits(a) & ~kSignBit<Real>); });
        case Arithmetic::less:
            return each(rows, [](Real a, Real b, Real) { return mask<Real>(a < b); });
        case Arithmetic::less_equal:
            return each(rows, [](Real a, Real b, Real) { return mask<Real>(a <= b); });
        case Arithmetic::equal:
            return each(rows, [](Real a, Real b, Real) { return mask<Real>(a == b); });
        case Arithmetic::select:
            return each(rows, [](Real m, Real a, Real b) { return real<Real>((bits(m) & bits(a)) | (~bits(m) & bits(b))); });
        case Arithmetic::to_word:
        case Arithmetic::to_real:
            return each(rows, [](Real a, Real, Real) { return a; });
        case Arithmetic::word_add:
            return words([](Word a, Word b) { return static_cast<Word>(a + b); });
        case Arithmetic::word_sub:
            return words([](Word a, Word b) { return static_cast<Word>(a - b); });
        case Arithmetic::word_mul:
            return words([](Word a, Word b) { return static_cast<Word>(a * b); });
        case Arithmetic::word_mul_high:
            return words([](Word a, Word b) { return static_cast<Word>(DoubleWordOf<Real>{a} * b >> 8 * sizeof(Word)); });
        case Arithmetic::word_and:
            return words([](Word a, Word b) { return static_cast<Word>(a & b); });
        case Arithmetic::word_or:
            return words([](Word a, Word b) { return static_cast<Word>(a | b); });
        case Arithmetic::word_xor:
            return words([](Word a, Word b) { return static_cast<Word>(a ^ b); });
        case Arithmetic::word_shl:
            return words([](Word a, Word b) { return static_cast<Word>(a << b); });
        case Arithmetic::word_shr:
            return words([](Word a, Word b) { return static_cast<Word>(a >> b); });
    }
}

template <class Real>
void apply_plain(Op op, const Rows<Real>& rows) {
    apply_operation(op, rows);
}

template <class Real>
MOTTLE_TARGET("avx2,fma")
void apply_wide(Op op, const Rows<Real>& rows) {
    apply_operation(op, rows);
}

// Evaluates code that reads uniforms alone in one lane.
template <class Real>
RowEvaluator<Real> evaluate_lane(const Code& code, std::span<const double> inputs) {
    if (code.empty()) throw core::InternalError("there is no code to evaluate");
    RowEvaluator<Real> evaluator(1);
    auto uniform = [&inputs](std::int32_t index) {
        if (index < 0 || core::at(index) >= inputs.size()) {
            throw core::InternalError("uniform code reads input " + std::to_string(index) + " of " + std::to_string(inputs.size()));
        }
        return round_to<Real>(inputs[core::at(index)]);
    };
    auto fetch = [](const Instruction& instruction, std::span<Real>) {
        throw core::InternalError(std::string("uniform code holds '") + name(instruction.op) + "', which depends on the cell");
    };
    evaluator.run(code, uniform, fetch);
    return evaluator;
}

}  // namespace

void require_default_mode() {
#if defined(__x86_64__)
    constexpr unsigned kRoundingFlushZero = 0x6000 | 0x8000 | 0x0040;  // MXCSR: rounding control, FTZ, DAZ
    bool expected = (_mm_getcsr() & kRoundingFlushZero) == 0;
#elif defined(__aarch64__)
    constexpr std::uint64_t kRoundingFlush = std::uint64_t{7} << 22;  // FPCR: rounding mode, FZ
    std::uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    bool expected = (mode & kRoundingFlush) == 0;
#else
    bool expected = std::fegetround() == FE_TONEAREST;
#endif
    if (!expected) {
        throw core::InternalError(
            "the floating point mode of this thread is not the default (round to nearest, subnormals kept); "
            "call Mottle in the default mode, and look for a library built with -ffast-math that changes it");
    }
}

double evaluate(const Code& code, std::span<const double> inputs) {
    return evaluate_lane<double>(code, inputs).value(static_cast<Value>(code.size()) - 1)[0];
}

std::optional<Code> part_beyond_numbers(const Code& code, std::span<const double> inputs) {
    const RowEvaluator<double> evaluator = evaluate_lane<double>(code, inputs);
    const auto value_of = [&](Value v) { return evaluator.value(v)[0]; };
    const auto is_cause = [&](const Instruction& instruction, Value arg, double value) {
        if (arg < 0 || type_of(code, arg) != Type::real || std::isfinite(value_of(arg))) return false;
        return instruction.op != Op::select || std::isnan(value) || value_of(arg) == value;  // the other branch is not to blame
    };
    auto part = static_cast<Value>(code.size()) - 1;
    if (std::isfinite(value_of(part))) return std::nullopt;
    for (bool deeper = true; deeper;) {
        const Instruction& instruction = code[core::at(part)];
        const double value = value_of(part);
        const auto cause =
            std::find_if(instruction.args.begin(), instruction.args.end(), [&](Value arg) { return is_cause(instruction, arg, value); });
        deeper = cause != instruction.args.end();
        if (deeper) part = *cause;
    }
    return Code(code.begin(), code.begin() + part + 1);
}

std::uint64_t evaluate_word(const Code& code, bool f64) {
    auto last = static_cast<Value>(code.size()) - 1;
    if (f64) return bits(evaluate_lane<double>(code, {}).value(last)[0]);
    return bits(evaluate_lane<float>(code, {}).value(last)[0]);
}

std::vector<double> evaluate_uniforms(const Program& program, std::span<const double> inputs) {
    if (inputs.size() != program.inputs.size()) {
        throw core::InternalError("uniforms are made from " + std::to_string(program.inputs.size()) + " inputs, not " +
                                  std::to_string(inputs.size()));
    }
    std::vector<double> values;
    values.reserve(program.uniforms.size());
    for (const auto& uniform : program.uniforms) values.push_back(evaluate(uniform.code, inputs));
    return values;
}

template <class Real>
RowEvaluator<Real>::RowEvaluator(int count) : count_(count), wide_(core::widest_level() >= core::VectorLevel::avx2) {
    if (count < 1) throw core::InternalError("a row of " + std::to_string(count) + " cells cannot be evaluated");
    constexpr std::size_t kLine = 64 / sizeof(Real);
    stride_ = (core::at(count) + kLine - 1) / kLine * kLine;
}

template <class Real>
void RowEvaluator<Real>::begin(const Code& code) {
    if constexpr (sizeof(Real) == sizeof(double)) require_default_mode();
    lanes_.resize(std::max(lanes_.size(), code.size() * stride_));
}

template <class Real>
void RowEvaluator<Real>::fill(std::size_t v, Real value) {
    std::ranges::fill(row(v), value);
}

template <class Real>
void RowEvaluator<Real>::apply(const Instruction& instruction, std::size_t v) {
    if (instruction.op == Op::literal) return fill(v, round_to<Real>(instruction.literal()));
    if (instruction.op == Op::word) return fill(v, real<Real>(static_cast<WordOf<Real>>(instruction.bits)));
    auto operand = [this, &instruction](std::size_t i) {
        Value arg = instruction.args[i];
        return lanes_.data() + (arg < 0 ? 0 : core::at(arg) * stride_);
    };
    Rows<Real> rows{operand(0), operand(1), operand(2), row(v).data(), count_};
    if (wide_) {
        apply_wide(instruction.op, rows);
    } else {
        apply_plain(instruction.op, rows);
    }
}

template class RowEvaluator<float>;
template class RowEvaluator<double>;

}  // namespace mottle::ir
