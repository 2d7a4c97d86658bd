// mottle/backend/reference/kernel.h: interprets a Program stage by stage
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/backend/reference/padded_array.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/program/ring.h"

#include <map>
#include <vector>

namespace mottle::backend::reference {

/// The vertices of a mesh are one row without ghosts.
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
    struct StagePlan {
        const ir::Stage* stage;
        ir::RingSplit split;
    };

    static std::vector<StagePlan> plan_of(const ir::Sweep& sweep);
    void run_stage(const StagePlan& plan, ReferenceState& state);
    /// A piece of a row, from its cell x on.
    void evaluate(const StagePlan& plan, ReferenceState& state, const Triple& first);
    /// The sums over the neighbours of the vertices from `first` on.
    void sum_rings(const StagePlan& plan, const ReferenceState& state, Index first);
    void fetch_axis(int axis, const Triple& first, std::span<Real> out) const;
    Real uniform(int i) const { return uniforms_[core::at(i)]; }

    const domain::Grid* grid_;  ///< none: a mesh
    Triple size_, pad_;
    int piece_;  ///< cells of a row that are evaluated at once
    ir::RowEvaluator<Real> evaluator_;
    std::vector<StagePlan> step_, flush_step_;
    std::map<int, std::vector<Real>> axes_, edges_;  ///< by ir::Axis, by ir::Edge; those in use
    std::vector<Real> uniforms_;                     ///< of the step in progress
};

}  // namespace mottle::backend::reference
