// mottle/backend/cpu/plane/strips.cpp: wide rows cut into strips, and the edges that strips exchange
#include "mottle/backend/cpu/plane/strips.h"

#include <algorithm>

namespace mottle::backend::cpu {
namespace {

Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

Strip make_strip(Index first, Index end, Index ghosts, bool left, bool right, int lanes, std::size_t scalar_bytes) {
    const Index cells = end - first, ghost_cells = (left ? ghosts : 0) + (right ? ghosts : 0);
    // with a multiple of the number of lanes no lanes overlap; the padding consists of additional ghosts on a side that has some
    const Index more = round_up(cells + ghost_cells, lanes) - cells - ghost_cells;
    const Index at_left = left ? ghosts + (right ? more / 2 : more) : 0, at_right = right ? ghosts + more - (left ? more / 2 : 0) : 0;
    return {first, cells, at_left, at_right, RowLayout(at_left + cells + at_right, lanes, scalar_bytes)};
}

}  // namespace

Strips whole_row(Index width, int register_lanes, std::size_t scalar_bytes) {
    return {0, {{0, width, 0, 0, RowLayout(width, register_lanes, scalar_bytes)}}};
}

Strips cut_row(Index width, Index chunk, Index ghosts, bool periodic, int register_lanes, std::size_t scalar_bytes) {
    for (Index count = (width + chunk - 1) / chunk; count > 1; --count) {
        Strips row{ghosts, {}};
        bool fits = true;
        for (Index i = 0, first = 0; i < count && fits; ++i) {
            const bool last = i + 1 == count;
            const Index end = last ? width : std::min(width, round_up(width * (i + 1) / count, register_lanes));
            const Strip strip = make_strip(first, end, ghosts, periodic || i > 0, periodic || !last, register_lanes, scalar_bytes);
            const Index segment = strip.layout.columns();
            fits = strip.cells >= std::max<Index>(ghosts, 1) && strip.layout.lanes() == register_lanes && strip.left < segment &&
                   strip.right < segment;
            row.strips.push_back(strip);
            first = end;
        }
        if (fits) return row;
    }
    return whole_row(width, register_lanes, scalar_bytes);
}

Edges::Edges(const Strips& strips, Index rows, int arrays, std::size_t scalar_bytes)
    : rows_(core::at(rows)), bytes_(core::at(strips.ghosts * arrays) * scalar_bytes) {
    if (strips.whole()) return;
    for (auto& copy : memory_) copy.resize(core::at(strips.count()) * rows_ * 2 * bytes_);
}

}  // namespace mottle::backend::cpu
