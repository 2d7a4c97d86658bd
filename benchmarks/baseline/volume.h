// mottle/benchmarks/baseline/volume.h: periodic Gray-Scott with the 7-point stencil on a volume, as a good plain loop
#pragma once
#include "baseline/gray_scott.h"

#include <memory>

namespace mottle::benchmarks {

/// Two grids, restrict pointers, vectors made by the compiler, threads on slabs of planes, one pass over memory per step. The same operations in the same
/// order as Mottle, so both must be equal to the last bit. `start` holds the rows of all planes, `rows` to a plane.
std::unique_ptr<Contestant> make_volume_pass(const GrayScott& model, const Fields& start, int rows, int threads);

}  // namespace mottle::benchmarks
