// mottle/backend/cpu/plane/state.h: the fields of a simulation on a grid, as bands of strips
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/backend/cpu/plane/band.h"

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mottle::backend::cpu {

class CpuState final : public State {
   public:
    CpuState(const Strips& row, Index rows, int arrays, std::size_t scalar_bytes)
        : strips(core::at(row.count())), edges(row, rows, arrays, scalar_bytes), stale(core::at(rows)) {
        for (std::atomic<bool>& row_of_edges : stale) row_of_edges = true;
    }

    const std::size_t strips;                  ///< of each band of rows
    std::vector<std::vector<Memory>> maps;     ///< by strip and group
    std::vector<std::unique_ptr<Band>> bands;  ///< all strips of the first rows, then those of the next
    Edges edges;
    int parity = 0;                        ///< the copy of the edges that the next pass reads
    std::vector<std::atomic<bool>> stale;  ///< by row of the grid: written since that copy was made; threads write rows at the same time

    /// Of which arrays the last launch has left sums in the bands, until some row is written.
    std::vector<SumSplit> sums;
    std::atomic<bool> sums_hold = false;

    /// The strips that hold grid row `row`, and the row within them.
    std::pair<std::span<const std::unique_ptr<Band>>, Index> find(Index row) const {
        std::size_t at = 0;
        while (bands[at]->band_row(row) >= bands[at]->shape().rows) at += strips;
        return {{bands.data() + at, strips}, bands[at]->band_row(row)};
    }
};

inline CpuState& cast(State& state) { return static_cast<CpuState&>(state); }
inline const CpuState& cast(const State& state) { return static_cast<const CpuState&>(state); }

}  // namespace mottle::backend::cpu
