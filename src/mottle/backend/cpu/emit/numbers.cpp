// mottle/backend/cpu/emit/numbers.cpp: uniforms and constants in the precision of a Program
#include "mottle/backend/cpu/emit/numbers.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

template <class Real>
Real constant_bits(const Constant& constant) {
    using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    constexpr Word sign = Word{1} << (8 * sizeof(Real) - 1);
    if (constant == kSignWord) return std::bit_cast<Real>(sign);
    if (constant == kMagnitudeWord) return std::bit_cast<Real>(static_cast<Word>(~sign));
    if (constant.word) return std::bit_cast<Real>(static_cast<Word>(constant.bits));
    return ir::round_to<Real>(std::bit_cast<double>(constant.bits));
}

float fma_single(float a, float b, float c) { return std::fma(a, b, c); }
double fma_double(double a, double b, double c) { return std::fma(a, b, c); }
float floor_single(float a) { return std::floor(a); }
double floor_double(double a) { return std::floor(a); }

}  // namespace

Constants::Constants(const ir::Program& program) : uniforms_(static_cast<int>(program.uniforms.size())) {
    collect(program.step);
    if (program.flush_step) collect(*program.flush_step);
}

void Constants::collect(const ir::Sweep& sweep) {
    auto keep = [this](const Constant& constant) {
        if (std::find(list_.begin(), list_.end(), constant) == list_.end()) list_.push_back(constant);
    };
    for (const auto& stage : sweep.stages) {
        for (const auto& instruction : stage.code) {
            if (instruction.op == ir::Op::literal) keep({false, instruction.bits});
            if (instruction.op == ir::Op::word) keep({true, instruction.bits});
            if (instruction.op == ir::Op::neg) keep(kSignWord);
            if (instruction.op == ir::Op::abs) keep(kMagnitudeWord);
        }
    }
}

int Constants::number(const Constant& constant) const {
    auto found = std::find(list_.begin(), list_.end(), constant);
    if (found == list_.end()) throw core::InternalError("a constant of the code was not collected");
    return uniforms_ + static_cast<int>(found - list_.begin());
}

NumberRows NumberTable::fill(Index n, const UniformTable& uniforms) {
    return f64_ ? fill_as<double>(n, uniforms) : fill_as<float>(n, uniforms);
}

template <class Real>
NumberRows NumberTable::fill_as(Index n, const UniformTable& uniforms) {
    const std::size_t all = uniforms_ + constants_.size();
    NumberRows numbers;
    numbers.row_bytes = std::max<std::size_t>(1, all) * sizeof(Real);
    numbers.rows = uniforms.varies() ? n : 1;
    const std::size_t bytes = core::at(numbers.rows) * numbers.row_bytes;
    if (store_.size() < bytes) store_.resize(bytes);
    numbers.data = store_.data();
    for (Index r = 0; r < numbers.rows; ++r) {
        std::byte* out = store_.data() + core::at(r) * numbers.row_bytes;
        const std::span<const double> row = uniforms.row(r);
        for (std::size_t i = 0; i < all; ++i) {
            const Real value = i < uniforms_ ? ir::round_to<Real>(row[i]) : constant_bits<Real>(constants_[i - uniforms_]);
            std::memcpy(out + i * sizeof(Real), &value, sizeof(Real));
        }
    }
    return numbers;
}

ScalarFunctions::ScalarFunctions(bool f64)
    : fma(f64 ? reinterpret_cast<void (*)()>(fma_double) : reinterpret_cast<void (*)()>(fma_single)),
      floor(f64 ? reinterpret_cast<void (*)()>(floor_double) : reinterpret_cast<void (*)()>(floor_single)) {}

}  // namespace mottle::backend::cpu
