// mottle/backend/cpu/emit/numbers.h: the numbers that kernels read: uniforms of each step, then the constants of the code
#pragma once
#include "mottle/backend/backend.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mottle::backend::cpu {

/// A number that kernels find behind the uniforms: a literal (bits of a double) or a word.
struct Constant {
    bool word;
    std::uint64_t bits;
    friend bool operator==(const Constant&, const Constant&) = default;
};
inline constexpr Constant kSignWord{true, ~std::uint64_t{0}};       ///< the sign bit of the precision
inline constexpr Constant kMagnitudeWord{true, ~std::uint64_t{1}};  ///< all bits but the sign

/// Every constant of a Program's code, each once. Kernels read them from memory, so compiled code contains no constants and needs no relocation.
class Constants {
   public:
    Constants() = default;
    explicit Constants(const ir::Program& program);
    /// Its place among the numbers of a step.
    int number(const Constant& constant) const;
    const std::vector<Constant>& list() const { return list_; }

   private:
    void collect(const ir::Sweep& sweep);
    int uniforms_ = 0;
    std::vector<Constant> list_;
};

/// Numbers of the steps of a launch: uniforms, then constants. One row, or one per step.
struct NumberRows {
    const std::byte* data = nullptr;
    std::size_t row_bytes = 0;
    Index rows = 1;
    const std::byte* row(Index step) const { return data + core::at(rows == 1 ? 0 : std::min(step, rows - 1)) * row_bytes; }
};

/// Rounds them to the precision of a Program; keeps its memory from launch to launch.
class NumberTable {
   public:
    NumberTable(bool f64, std::size_t uniforms, const Constants& constants)
        : f64_(f64), uniforms_(uniforms), constants_(constants.list()) {}
    /// For `n` steps; valid until the next call.
    NumberRows fill(Index n, const UniformTable& uniforms);

   private:
    template <class Real>
    NumberRows fill_as(Index n, const UniformTable& uniforms);
    bool f64_;
    std::size_t uniforms_;
    std::vector<Constant> constants_;
    std::vector<std::byte> store_;
};

/// std::fma and std::floor of a precision, for instruction sets that lack them.
struct ScalarFunctions {
    explicit ScalarFunctions(bool f64);
    void (*fma)();
    void (*floor)();
};

}  // namespace mottle::backend::cpu
