// mottle/backend/reference/mesh_kernel.h: interprets a Program on a mesh, stage by stage
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/program/ring.h"

#include <map>
#include <vector>

namespace mottle::backend::reference {

template <class Real>
class ReferenceMeshKernel final : public Kernel {
   public:
    ReferenceMeshKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule, core::Context& context);

    const ir::Program& program() const override { return program_; }
    const domain::Domain& domain() const override { return domain_; }
    const Schedule& schedule() const override { return schedule_; }
    std::unique_ptr<State> create_state() override;
    void advance(State& state, Index first_step, Index n, UniformTable uniforms) override;
    void read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const override;
    void read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const override;
    void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) override;

   private:
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

    ir::Program program_;
    domain::Domain domain_;
    Schedule schedule_;
    const domain::MeshOperators& rows_;
    int piece_;
    ir::RowEvaluator<Real> evaluator_;
    std::vector<StagePlan> step_, flush_step_;
    std::vector<std::vector<Real>> edges_;   ///< by ir::Edge; those in use
    std::map<int, std::vector<Real>> axes_;  ///< by ir::Axis; those in use
    std::vector<Real> uniforms_;
};

}  // namespace mottle::backend::reference
