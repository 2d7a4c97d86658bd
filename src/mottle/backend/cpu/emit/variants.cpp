// mottle/backend/cpu/emit/variants.cpp: the compiled functions of a Program on a grid, in variants for uniforms that are exactly 1
#include "mottle/backend/cpu/emit/variants.h"

#include "mottle/backend/cpu/compile/compile.h"

namespace mottle::backend::cpu {
namespace {

std::vector<bool> uniform_factors(const ir::Program& program) {
    std::vector<bool> factors(program.uniforms.size());
    for (const auto& stage : program.step.stages) {
        for (const auto& instruction : stage.code) {
            if (instruction.op != ir::Op::mul) continue;
            for (const ir::Value arg : {instruction.args[0], instruction.args[1]}) {
                const auto& operand = stage.code[core::at(arg)];
                if (operand.op == ir::Op::uniform) factors[core::at(operand.index)] = true;
            }
        }
    }
    return factors;
}

}  // namespace

Variants::Variants(const ir::Program& program, const Plan& plan, CallSizes sizes, EmitOptions options, std::filesystem::path cache)
    : program_(program),
      plan_(plan),
      sizes_(std::move(sizes)),
      options_(std::move(options)),
      cache_(std::move(cache)),
      factors_(uniform_factors(program)) {
    variants_.push_back(compile({}));
}

std::unique_ptr<Variants::Variant> Variants::compile(std::vector<bool> ones) const {
    auto variant = std::make_unique<Variant>();
    EmitOptions options = options_;
    options.ones = ones;
    variant->ones = std::move(ones);
    variant->code = compile_text(emit_grid(program_, plan_, sizes_, options), options.isa, cache_);
    auto function = [&](const std::string& name) { return reinterpret_cast<RowFunction>(variant->code->symbol(name)); };
    KernelFunctions& functions = variant->functions;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
        StageFunctions& stage = functions.stages.emplace_back();
        for (int rows : row_variants(sizes_.rows[s])) {
            stage.emplace_back(rows, function(stage_function(static_cast<int>(s), rows, false)));
            if (s + 1 == plan_.stages.size() && program_.flush_step)
                functions.flush.emplace_back(rows, function(stage_function(static_cast<int>(s), rows, true)));
        }
    }
    for (std::size_t j = 0; j < plan_.joined.size(); ++j) {
        JoinedFunctions& joined = functions.joined.emplace_back();
        if (!sizes_.joined[j]) continue;
        joined.step = function(joined_function(j, false));
        if (!plan_.joined[j].flush.code.empty()) joined.flush = function(joined_function(j, true));
    }
    for (const auto side : border_sides(plan_)) {
        for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
            const bool wraps = group_wraps(program_, plan_, g, side);
            functions.borders[side].push_back(wraps ? nullptr : function(border_function(side, static_cast<int>(g))));
        }
    }
    const ScalarFunctions scalar(program_.f64);
    functions.fma = scalar.fma;
    functions.floor = scalar.floor;
    return variant;
}

// 1*x is x to the last bit, so a factor that is exactly 1 in all steps of a launch is left out; nothing else may be.
const KernelFunctions& Variants::find(const UniformTable& uniforms) {
    std::vector<bool> ones = factors_;
    const std::size_t columns = factors_.size();
    bool any = false;
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t at = i; ones[i] && at < uniforms.values.size(); at += columns) {
            ones[i] = uniforms.values[at] == 1;
        }
        any = any || ones[i];
    }
    if (!any) return variants_.front()->functions;
    for (const auto& variant : variants_) {
        if (variant->ones == ones) return variant->functions;
    }
    variants_.push_back(compile(std::move(ones)));
    return variants_.back()->functions;
}

}  // namespace mottle::backend::cpu
