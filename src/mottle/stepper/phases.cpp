// mottle/stepper/phases.cpp: steps of a Program that needs sums over all cells
#include "mottle/stepper/phases.h"

#include "mottle/core/error.h"

#include <optional>

namespace mottle::stepper {
namespace {

class PhasedSteps {
   public:
    PhasedSteps(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms)
        : kernel_(kernel),
          state_(state),
          uniforms_(uniforms),
          phases_(*kernel.program().phases),
          sums_(phases_.sums.size()),
          measure_(backend::whole_of(domain::cell_count(kernel.domain()), domain::measures(kernel.domain()))),
          cell_(domain::cell_size(kernel.domain())) {}

    void run(Index first, Index n) {
        if (n <= 0) return;
        // Parameters, and with a start or a resumed state the fields, may be others than those of the last phase.
        if (phases_.begin) run_phase(*phases_.begin, first);
        for (Index step = first; step < first + n; ++step) {
            for (const ir::Phase& phase : phases_.step) run_phase(phase, step);
        }
    }

   private:
    void run_phase(const ir::Phase& phase, Index step) {
        for (const int i : phase.sums) {
            const ir::Sum& sum = phases_.sums[core::at(i)];
            const double whole = sum_of(sum.array, step);
            sums_[core::at(i)] = sum.integral ? whole * cell_ : whole / measure_;
        }
        kernel_.advance(state_, step, 1, uniforms_.phase_row(phase, step, sums_));
    }

    // A kernel that has not kept an array makes it again from the fields as they are; that phase needs no sums.
    double sum_of(ir::Array array, Index step) {
        std::optional<double> sum = kernel_.sum(state_, array);
        if (!sum && phases_.begin && phases_.begin->sums.empty()) {
            run_phase(*phases_.begin, step);
            sum = kernel_.sum(state_, array);
        }
        if (!sum) throw core::InternalError("a kernel has not kept what is summed");
        return *sum;
    }

    backend::Kernel& kernel_;
    backend::State& state_;
    UniformRows& uniforms_;
    const ir::Phases& phases_;
    std::vector<double> sums_;
    double measure_, cell_;
};

}  // namespace

void advance_phases(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) {
    PhasedSteps(kernel, state, uniforms).run(first_step, n);
}

}  // namespace mottle::stepper
