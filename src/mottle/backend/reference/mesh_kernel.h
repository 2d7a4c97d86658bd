// mottle/backend/reference/mesh_kernel.h: interprets a Program on a mesh, stage by stage
#pragma once
#include "mottle/backend/program_kernel.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/program/ring.h"

#include <map>
#include <vector>

namespace mottle::backend::reference {

template <class Real>
class ReferenceMeshKernel final : public ProgramKernel {
   public:
    ReferenceMeshKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule, core::Context& context);

    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;

   private:
    void read_cells(const State& state, ir::Array array, Index row, ReadCells cells) const override;
    using Arrays = std::vector<std::vector<Real>>;
    struct MeshState final : State {
        Arrays now, next;  ///< a stage reads `now` and stores into `next`
    };
    struct StagePlan {
        const ir::Stage* stage;
        ir::RingSplit split;
    };

    void run_stage(const StagePlan& plan, MeshState& state);
    /// Vertices first .. first + piece.
    void evaluate(const StagePlan& plan, MeshState& state, Index first);
    void sum_rings(const StagePlan& plan, const MeshState& state, Index first);
    std::vector<StagePlan> plan_of(const ir::Sweep& sweep) const;

    const domain::MeshOperators& rows_;
    int piece_;
    ir::RowEvaluator<Real> evaluator_;
    std::vector<StagePlan> step_, flush_step_;
    std::vector<std::vector<Real>> edges_;   ///< by ir::Edge; those in use
    std::map<int, std::vector<Real>> axes_;  ///< by ir::Axis; those in use
    std::vector<Real> uniforms_;
};

}  // namespace mottle::backend::reference
