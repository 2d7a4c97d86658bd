// mottle/benchmarks/harness/kernel_run.h: a model of one of the benchmarks, lowered; a kernel with its state, filled with noise and stepped
#pragma once
#include "mottle/run/settings/spec.h"
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

/// A kernel with its states and uniforms: one, or several that advance together.
class KernelRun {
   public:
    /// `members`: a state for each; a member n has cells and parameters of its own. 0 are those of the model.
    KernelRun(backend::Backend& device, const Lowered& lowered, const std::string& schedule, core::Context& context,
              const std::vector<int>& members = {0});
    void advance(core::Index steps);
    /// The state fields, one after another.
    std::vector<double> cells(std::size_t which = 0) const;
    const backend::Kernel& kernel() const { return *kernel_; }
    const backend::State& state() const { return *members_[0].state; }

   private:
    struct Member {
        std::unique_ptr<backend::State> state;
        std::unique_ptr<stepper::UniformRows> uniforms;
    };
    Member make_member(const Lowered& lowered, int number) const;

    const ir::Program& program_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::vector<Member> members_;
    core::Index step_ = 0;
};

}  // namespace mottle::benchmarks
