// mottle/backend/cpu/volume/cut.h: how a volume is cut: the cost model of slabs, tiles and fused steps
#pragma once
#include "mottle/backend/cpu/plane/cut.h"

namespace mottle::backend::cpu {

/// Cuts a grid with a depth into slabs for `threads` threads; numbers of `request` that are set win.
Cut choose_volume_cut(const ir::Program& program, const Plan& plan, const domain::Grid& grid, const VolumeSchedule& request, const Isa& isa,
                      int threads);

}  // namespace mottle::backend::cpu
