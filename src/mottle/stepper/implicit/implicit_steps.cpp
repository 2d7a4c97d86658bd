// mottle/stepper/implicit/implicit_steps.cpp: the steps of a kernel, and the solutions for diffusion between them
#include "mottle/stepper/implicit/solved_fields.h"
#include "mottle/stepper/split_steps.h"

#include <algorithm>

namespace mottle::stepper {
namespace {

class ImplicitSteps final : public SplitSteps {
   public:
    explicit ImplicitSteps(const backend::Kernel& kernel)
        : solved_(kernel), cells_(solved_.count(), std::vector<double>(core::at(domain::cell_count(kernel.domain())))) {}

    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) override {
        for (Index step = first_step; step < first_step + n; ++step) {
            kernel.advance(state, step, 1, uniforms.rows(step, 1));
            if (solved_.prepare(kernel, uniforms.rows(step + 1, 1).row(0), 1, SolvedFields::Of::field))
                kernel.team().run([&](int worker) { solve(kernel, state, ir::is_flush_step(step), worker); });
        }
    }

   private:
    /// `flushes`: tiny values become 0, as those that the kernel leaves in this step; a solution has tails of them.
    void solve(backend::Kernel& kernel, backend::State& state, bool flushes, Index part) {
        const Index parts = kernel.team().size();
        solved_.each_row(part, parts, [&](std::size_t i, Index row, std::size_t begin, std::size_t length) {
            if (solved_.is_due(i)) kernel.read_row(state, solved_.what(i).field, row, std::span(cells_[i]).subspan(begin, length));
        });
        solved_.solve(kernel.team(), part, [&](std::size_t i) { return std::span(cells_[i]); });
        solved_.each_row(part, parts, [&](std::size_t i, Index row, std::size_t begin, std::size_t length) {
            if (!solved_.is_due(i)) return;
            const std::span<double> cells = std::span(cells_[i]).subspan(begin, length);
            const auto& clamp = solved_.what(i).clamp;
            for (double& cell : cells) cell = flushes ? end_of_step(cell, clamp) : clamp ? clamped(cell, *clamp) : cell;
            kernel.write_row(state, solved_.what(i).field, row, cells);
        });
    }

    SolvedFields solved_;
    std::vector<std::vector<double>> cells_;  ///< by field
};

}  // namespace

std::unique_ptr<SplitSteps> create_implicit_steps(const backend::Kernel& kernel) { return std::make_unique<ImplicitSteps>(kernel); }

}  // namespace mottle::stepper
