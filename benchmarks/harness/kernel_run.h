// mottle/benchmarks/harness/kernel_run.h: a model of one of the benchmarks, lowered; a kernel with its state, filled with noise and stepped
#pragma once
#include "mottle/run/spec.h"
#include "mottle/stepper/uniform_rows.h"

#include <memory>
#include <string>
#include <vector>

namespace mottle::benchmarks {

struct Lowered {
    run::Spec spec;
    ir::Program program;
};
/// `model`: a name of the library or a text; `mesh`: a shape, or empty: a grid of `size`.
Lowered lower(const std::string& model, const std::string& size, const std::string& mesh, const std::string& stencil, bool f64,
              core::ThreadTeam& team);

/// A kernel with its state and uniforms.
class KernelRun {
   public:
    KernelRun(backend::Backend& device, const Lowered& lowered, const std::string& schedule, core::Context& context);
    void advance(core::Index steps);
    /// The state fields, one after another.
    std::vector<double> cells() const;
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::State& state() const { return *state_; }

   private:
    const ir::Program& program_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<backend::State> state_;
    std::unique_ptr<stepper::UniformRows> uniforms_;
    core::Index step_ = 0;
};

}  // namespace mottle::benchmarks
