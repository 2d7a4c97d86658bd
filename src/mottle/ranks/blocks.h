// mottle/ranks/blocks.h: a grid cut into blocks, one for each rank, and the halos around them
#pragma once
#include "mottle/backend/schedule.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <optional>
#include <vector>

namespace mottle::ranks {

using domain::Index;
using domain::Triple;

/// How a grid is cut: `parts` along each axis, ranks in the order of cells.
struct Blocks {
    Triple parts{1, 1, 1};
    Triple halo{};  ///< cells beyond the sides of a block, where another one borders
    int steps = 1;  ///< between two exchanges: after them halos are wrong, and blocks are right

    int count() const { return static_cast<int>(parts[0] * parts[1] * parts[2]); }
    Triple place_of(int rank) const;
    int rank_at(const Triple& place) const;
};

/// What is asked of a cut.
struct CutWish {
    int steps = 0;                                    ///< between two exchanges; 0: what suits the grid
    std::optional<backend::BlockCounts> blocks = {};  ///< nothing: of the shape that makes the least work at halos
};
/// What a schedule says.
CutWish wish_of(const backend::Schedule& schedule);
/// Blocks with halos for as many steps as wished if they are large enough for so many.
/// Throws: InputError (blocks would be smaller than what one step reads, no axis can be cut, or the blocks that are wished are not as many as ranks).
Blocks choose_blocks(const ir::Program& program, const domain::Grid& grid, int ranks, const CutWish& wish);

/// Cells of a rank; no two ranks have the same.
domain::CellBox own_box(const domain::Grid& grid, const Blocks& blocks, int rank);
/// These and the halos around them.
domain::CellBox box_with_halos(const domain::Grid& grid, const Blocks& blocks, int rank);
/// The rank beside `rank` along axis `d`, towards lower cells or higher ones; -1 at a border.
int neighbour(const domain::Grid& grid, const Blocks& blocks, int rank, std::size_t d, bool higher);

/// Where a block beside another one lies: -1, 0 or 1 along each axis, not 0 along all.
struct Direction {
    std::array<int, 3> step{};
    int number() const { return ((step[2] + 1) * 3 + step[1] + 1) * 3 + step[0] + 1; }
    Direction back() const { return {{-step[0], -step[1], -step[2]}}; }
};
/// A block that borders on that of a rank, at a side, an edge or a corner. The same rank may be beside another in several directions.
struct Beside {
    Direction direction;
    int rank;
};
std::vector<Beside> blocks_beside(const domain::Grid& grid, const Blocks& blocks, int rank);

/// The halo that is deepest beside the block it belongs to, along the same axis, as a part of that.
double deepest_halo(const domain::Grid& grid, const Blocks& blocks);
/// Whether the blocks have a middle worth computing while halos travel: what the halos reach leaves a third of the smallest, along each axis that is cut.
bool have_middle(const domain::Grid& grid, const Blocks& blocks);

}  // namespace mottle::ranks
