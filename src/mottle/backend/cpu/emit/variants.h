// mottle/backend/cpu/emit/variants.h: the compiled functions of a Program on a grid, in variants for uniforms that are exactly 1
#pragma once
#include "mottle/backend/cpu/emit/grid.h"
#include "mottle/backend/cpu/compile/object_code.h"
#include "mottle/backend/cpu/emit/row_kernel.h"

#include <array>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace mottle::backend::cpu {

/// Compiled functions of one stage, (rows, function), largest block first.
using StageFunctions = std::vector<std::pair<int, RowFunction>>;

/// Compiled functions of two joined stages, null where they stay apart.
struct JoinedFunctions {
    RowFunction step = nullptr, flush = nullptr;
};

/// Everything a pass calls.
struct KernelFunctions {
    std::vector<StageFunctions> stages;               ///< by stage
    StageFunctions flush;                             ///< the last stage of a step that flushes (ir::is_flush_step; f64), or empty
    std::vector<JoinedFunctions> joined;              ///< by Plan::joined
    std::array<std::vector<RowFunction>, 6> borders;  ///< by domain::Side, then group; null where rows wrap, none for left and right
    void (*fma)() = nullptr;
    void (*floor)() = nullptr;
};

class Variants {
   public:
    /// `program` and `plan` outlive this.
    Variants(const ir::Program& program, const Plan& plan, CallSizes sizes, EmitOptions options, std::filesystem::path cache);
    /// Those for the uniforms of a launch. Compiles on first need.
    const KernelFunctions& find(const UniformTable& uniforms);

   private:
    struct Variant {
        std::vector<bool> ones;
        std::unique_ptr<ObjectCode> code;
        KernelFunctions functions;
    };
    std::unique_ptr<Variant> compile(std::vector<bool> ones) const;

    const ir::Program& program_;
    const Plan& plan_;
    CallSizes sizes_;
    EmitOptions options_;
    std::filesystem::path cache_;
    std::vector<bool> factors_;                       ///< by uniform: the code multiplies by it
    std::vector<std::unique_ptr<Variant>> variants_;  ///< the first is right for any uniforms; the others are built on first need
};

}  // namespace mottle::backend::cpu
