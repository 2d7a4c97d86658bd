// mottle/backend/cuda/grid/passes.h: the stretches of steps that one launch makes, and the numbers it takes along
#pragma once
#include "mottle/backend/backend.h"

#include <cstddef>
#include <vector>

namespace mottle::backend::cuda {

/// A stretch of steps that one launch (or one per stage) makes.
struct Pass {
    Index first;  ///< of the steps of a call to advance
    int steps;
    bool flush;  ///< the last of them is flush_step
};
/// `n` steps after `first_step` in passes of up to `steps`, none of which goes on beyond a step that flushes.
std::vector<Pass> passes_of(const ir::Program& program, Index first_step, Index n, int steps, int stages);

/// The table of uniforms of a pass, in the Program's precision, as the texts declare it: `rows`, of which a launch copies all, though the pass may
/// have fewer steps.
void fill_numbers(const ir::Program& program, const Pass& pass, int rows, const UniformTable& uniforms, std::vector<std::byte>& numbers);

inline constexpr std::size_t kNumberBytes = 3072;  ///< for uniforms, of the 4 KiB that all parameters of a kernel share
/// Throws: DeviceError, if those of one step are more.
void check_numbers(const ir::Program& program);
/// Steps whose uniforms one launch takes, at most `most`.
int steps_of_numbers(const ir::Program& program, int most);

}  // namespace mottle::backend::cuda
