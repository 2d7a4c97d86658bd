// mottle/stepper/split_steps.cpp: which steps a Program needs
#include "mottle/stepper/split_steps.h"

namespace mottle::stepper {

std::unique_ptr<SplitSteps> create_split_steps(const backend::Kernel& kernel) {
    const ir::Program& program = kernel.program();
    if (!program.linear.empty()) return create_spectral_steps(kernel);
    if (program.makes_rates) return create_rosenbrock_steps(kernel);
    if (!program.implicit.empty()) return create_implicit_steps(kernel);
    return nullptr;
}

}  // namespace mottle::stepper
