// mottle/backend/cpu/plane/cut.h: how a plane is cut: the cost model of bands, strips, fused steps and rows per call
#pragma once
#include "mottle/backend/cpu/emit/grid.h"
#include "mottle/backend/cpu/plane/strips.h"
#include "mottle/backend/schedule.h"

namespace mottle::backend::cpu {

/// What the cost model, or the user, decided for one kernel.
struct Cut {
    int steps = 1;    ///< fused in one pass at most
    int parts = 1;    ///< bands
    Strips strips;    ///< of each band
    Index tile = 0;   ///< rows of a tile of each slab; 0: all
    Index piece = 0;  ///< of a volume: vectors of a row that one call updates; 0: all
    CallSizes calls;
};

/// Cuts a grid for `threads` threads; numbers of `request` that are set win.
Cut choose_cut(const ir::Program& program, const Plan& plan, const domain::Grid& grid, const PlaneSchedule& request, const Isa& isa,
               int threads);
/// Terms::passing where steps add up what they make: each cell belongs to one whole row of one band, and to no halo.
Terms terms_of(const ir::Program& program, const domain::Grid& grid, const PlaneSchedule& request);
/// All strips have the lanes of the first.
EmitOptions emit_options(const Isa& isa, const Strips& strips);
Strips whole_row(const domain::Grid& grid, const Isa& isa, bool f64);

// What the cost model of volumes takes from here.

inline constexpr std::size_t kCacheBytes = std::size_t{2} << 20;  ///< L2 of one core

/// Bytes of a row of all arrays that vary along both axes.
std::size_t slot_bytes(const Plan& plan, const RowLayout& layout);
/// Rows per call of each stage: `asked`, else as many as the registers are good for.
void choose_blocks(const ir::Program& program, const Plan& plan, std::optional<int> asked, const EmitOptions& options, Cut& cut);

}  // namespace mottle::backend::cpu
