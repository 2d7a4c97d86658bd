// mottle/ranks/forecast.h: what a run would take on any number of ranks, from figures of this machine and of a network; nothing of its size is allocated
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/network.h"
#include "mottle/ranks/surface_share.h"

#include <cstdint>
#include <span>

namespace mottle::ranks {

/// What one rank has to do in a pass, the one with most neighbours. Cells are vertices on a surface.
struct Load {
    int steps = 1;           ///< of a pass: between two exchanges
    Index own = 0;           ///< cells that the rank owns
    Index computed = 0;      ///< own ones and those of the halo, computed in every step
    Index rim = 0;           ///< computed once more where halos are hidden; 0: they cannot be
    int messages = 0;        ///< sent in an exchange
    std::int64_t bytes = 0;  ///< of them
    /// Bytes read from kernels and written to them in an exchange, and in one that is hidden.
    std::int64_t copied = 0, copied_hidden = 0;
};
/// Of a block within the grid.
Load load_of(const ir::Program& program, const domain::Grid& grid, const Blocks& blocks);
/// Of the share with most messages.
Load load_of(const ir::Program& program, std::span<const SurfaceShare> shares);
/// The number of a rank whose block is within the grid, as far as there is one.
int inner_rank(const Blocks& blocks);

/// How fast one rank is by itself.
struct Rates {
    double cells = 0;   ///< updates per second
    double copied = 0;  ///< bytes of halos per second, read from a kernel or written to it
};
/// Measures a kernel for `piece` (of a grid, or all of a small domain) in about `seconds`; `uniforms` for one step. The largest part of a piece that is
/// measured has some million cells. Throws: as Backend::compile.
Rates measure_rates(const ir::Program& program, const domain::Domain& piece, backend::Backend& backend, std::span<const double> uniforms,
                    core::Context& context, double seconds);

struct Forecast {
    double compute = 0, copy = 0, network = 0;  ///< seconds of a pass
    double requests = 0;                        ///< seconds of a pass: what rank 0 asks of all others, one after another
    bool hides = false;                         ///< the network behind the middle
    double step = 0;                            ///< seconds
    double efficiency = 0;                      ///< time of own cells alone, at the rate of one rank, over `step`
};
Forecast forecast(const ir::Program& program, int ranks, const Load& load, const Rates& rates, const Network& network);

}  // namespace mottle::ranks
