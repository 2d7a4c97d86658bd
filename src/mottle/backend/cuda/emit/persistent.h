// mottle/backend/cuda/emit/persistent.h: all steps of a launch over a plane that the card's registers hold: blocks stay, and exchange their edges
#pragma once
#include "mottle/backend/cuda/emit/plane_text.h"

namespace mottle::backend::cuda {

/// How the blocks of a launch hold a plane. A block keeps a tile of `warps` warps of `rows` rows, a lane `columns` columns of each. It updates all of
/// it `steps` times in place, as a block of emit_tile does; then the blocks send each other the cells that these steps have left invalid: `reach` cells on each
/// side.
struct PersistentTile {
    int columns = 0, rows = 0, warps = 0, steps = 0, reach = 0;
    int height() const { return rows * warps; }
    int threads() const { return warps * kLanes; }
    /// Lanes on each side that belong to other blocks, and the columns of the others.
    int halo() const { return (reach + columns - 1) / columns; }
    int width() const { return (kLanes - 2 * halo()) * columns; }
    /// Rows that may belong to it, at most.
    int most_rows() const { return height() - 2 * reach; }
    /// Cells of other blocks that a block needs, at most; slots of them for each thread.
    int frame() const { return 2 * reach * kLanes * columns + 2 * halo() * columns * most_rows(); }
    int slots() const { return (frame() + threads() - 1) / threads(); }
};

/// A tile, and how many of them cover a plane: `chunk_rows` rows of each belong to it.
struct PersistentCut {
    PersistentTile tile;
    int strips = 0, chunks = 0, chunk_rows = 0;
    int blocks() const { return strips * chunks; }
};

/// All ways in which at most `processors` blocks, one for each multiprocessor, hold the plane and exchange edges every `steps` steps; none if
/// persistent_obstacle gives a reason.
std::vector<PersistentCut> persistent_cuts(const StepPlan& plan, const domain::Grid& grid, int steps, int processors);
/// The reason why a Program on a grid has no persistent kernel on any card; "" if it has one.
std::string persistent_obstacle(const StepPlan& plan, const domain::Grid& grid);
/// Registers that a thread is expected to need; those that the compiler reports are in docs/notes/cuda.md.
int persistent_registers(const StepPlan& plan, const PersistentTile& tile);

/// A packet has 16 bytes: two words of 4 bytes, each with the epoch of its exchange. Packets of a cell: two f32 values in one, one f64 value in each.
int packets_of_cell(const ir::Program& program);
inline constexpr std::size_t kPacketBytes = 16;

/// What the kernel takes as `Shape`.
struct PersistentShape {
    int nx, ny;
    int strips, chunk_rows;
    unsigned epoch;    ///< of the last exchange before this launch
    long long pitch;   ///< cells from one row to the next
    long long steps;   ///< of this launch
    long long stride;  ///< rows of numbers by which a step advances: 0 or 1
    long long before;  ///< steps before the first of this launch
};

/// The kernel `persistent`: reads the states, makes all steps of the launch (every eighth is flush_step if the Program has one) and writes them. The
/// text depends on the tile and the sides of the grid, not on its size.
ModuleText emit_persistent(const StepPlan& plan, const domain::Grid& grid, const PersistentTile& tile);

}  // namespace mottle::backend::cuda
