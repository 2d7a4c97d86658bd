// mottle/backend/reference/kernel.h: interprets a Program stage by stage
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/reference/padded_array.h"
#include "mottle/ir/program/evaluate.h"

#include <array>
#include <vector>

namespace mottle::backend::reference {

template <class Real>
class ReferenceKernel final : public ProgramKernel {
   public:
    ReferenceKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule, core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    using Arrays = std::vector<PaddedArray<Real>>;
    struct ReferenceState final : State {
        Arrays now, next;  ///< a stage reads `now` and stores into `next`: nothing it loads has been changed by it
    };

    void run_stage(const ir::Stage& stage, ReferenceState& state);
    void evaluate_row(const ir::Stage& stage, ReferenceState& state, Index y, Index z);
    void fetch_axis(const ir::Instruction& instruction, std::array<Index, 3> first, std::span<Real> out) const;

    domain::Grid grid_;
    Triple pad_{};
    int piece_;  ///< cells of a row that are evaluated at once
    ir::RowEvaluator<Real> evaluator_;
    std::array<std::vector<Real>, ir::kGridAxes> axes_;  ///< by ir::Axis
    std::vector<Real> uniforms_;                         ///< of the step in progress
};

}  // namespace mottle::backend::reference
