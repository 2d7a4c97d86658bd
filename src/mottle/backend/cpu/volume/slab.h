// mottle/backend/cpu/volume/slab.h: consecutive rows of every plane of a volume, and the skewed wavefront from plane to plane that advances them in place
#pragma once
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/backend/cpu/plane/row_layout.h"
#include "mottle/backend/cpu/emit/variants.h"

#include <array>
#include <vector>

namespace mottle::backend::cpu {

struct SlabShape {
    Index first = 0, rows = 0;         ///< of each plane of the grid
    Index planes = 0;                  ///< of the grid
    bool top = false, bottom = false;  ///< a border of the grid in y that is not periodic
    bool closed = false;               ///< the grid is not periodic in z
    std::array<bool, 6> halos{};  ///< by domain::Side: borders that are halos, where a step leaves cells wrong that need not be computed
    int most_steps = 1;           ///< fused in one pass
    int block = 1;                ///< planes one call updates
    Index tile = 0;               ///< rows whose planes a pass goes through before the next; 0: all
    Index piece = 0;              ///< vectors of a row that one call updates; 0: all
};

/// What Band is to a plane, with planes in the part of its rows: one level of the wavefront does a block of planes, row by row, and the next level
/// follows a plane behind. Row y of plane z of time t stands in the slot of row y-1 of plane z-1 of time t-1: the slot that no later row of the block
/// reads. Ghosts beyond a border stand in slots too, formed right before they are read. Between two passes neighbours exchange the ghost rows of
/// every plane.
///
/// A pass of several steps goes tile by tile: the rows of a tile slant up by one with every level, so that a level finds what the tile above has left,
/// and nothing is computed twice. The live window of a tile, some 2 * steps planes of its rows, should fit the L2. Steps of several stages take one
/// tile, since held planes are gone when the next begins.
class Slab {
   public:
    struct Launch {
        const NumberRows& numbers;
        const KernelFunctions& functions;
        const ir::Program& program;
        int stages;  ///< UniformTable::stages
    };

    /// `plan` and `layout` outlive the slab. `axes`, by ir::Axis: y and z tables start one entry before the first ghost row or plane.
    Slab(const Plan& plan, const RowLayout& layout, const SlabShape& shape, const std::array<const std::byte*, ir::kGridAxes>& axes);

    const SlabShape& shape() const { return shape_; }
    int ghost_rows() const { return ghost_rows_; }
    int ghost_planes() const { return ghost_planes_; }
    /// Vector 0 of an array in row y (-ghost_rows .. rows + ghost_rows - 1) of plane z (-ghost_planes ..), as the state stands between passes.
    std::byte* row(ir::Array array, Index y, Index z);
    const std::byte* row(ir::Array array, Index y, Index z) const { return const_cast<Slab*>(this)->row(array, y, z); }
    /// Copies the ghosts for `steps` steps: rows from the slabs above and below (this one itself where the grid is one slab), planes from its own.
    void fetch_ghosts(const Slab& above, const Slab& below, int steps);
    /// Advances by `steps` <= most_steps; `first` is the number of the first step in the launch, `number` that of the state it starts from.
    void advance(const Launch& launch, int steps, Index first, Index number);

   private:
    struct Planes {
        Memory memory;
        std::size_t row_bytes = 0, rows_bytes = 0, plane_bytes = 0;  ///< rows_bytes: of all rows of a plane
        Index rows = 0, capacity = 0;                                ///< of a plane; planes
        Index base_row = 0, base_plane = 0;                          ///< slots of row 0 and plane 0
    };
    struct Level {
        int stage;
        Index time;  ///< steps done before it, in this pass
        const StageFunctions* functions;
        const std::byte *numbers, *ghost_numbers;
        Index delay;                                         ///< planes it runs behind the first level
        Index first_row, last_row, first_plane, last_plane;  ///< that it computes
    };
    std::size_t spread_of_planes(int group, std::size_t plane_bytes, std::size_t row_bytes) const;
    bool exchanged(std::size_t group) const;
    bool shifts(int group) const { return plan_.groups[core::at(group)].home == Home::shifting; }
    std::byte* plane_at(int group, Index z, Index time);
    std::ptrdiff_t row_offset(int group, Index y, Index time) const;
    std::byte* pointer(int group, Index y, Index z) { return plane_at(group, z, 0) + row_offset(group, y, 0); }
    void make_levels(const Launch& launch, int steps, Index first, Index number);
    struct RowRange {
        Index first, last;
    };
    void sweep_tile(const KernelFunctions& functions, Index begin, Index end);
    void sweep(const Level& level, const KernelFunctions& functions, const RowRange& rows, Index z, int planes, RowFunction function);
    /// Cache lines to prefetch, some rows of consecutive planes: each call goes on by `share` of them, and fetches as many as it has columns.
    struct RowsToCome {
        const std::byte* base = nullptr;  ///< the next plane
        Index plane = 0, planes = 0;      ///< its number; planes from there on
        Index time = 0, offset = 0;       ///< bytes from a plane to the first of the rows
        Index in_plane = 0, line = 0;     ///< lines of each plane; the next
        Index share = 1;
        Index lines() const { return planes * in_plane; }
    };
    Index pieces() const { return (layout_.columns() + shape_.piece - 1) / shape_.piece; }
    void begin_ahead(Index front, Index begin, Index end);
    void begin_edge(const Level& level, const RowRange& rows, Index z, int planes);
    RowsToCome rows_to_come(Index time, Index plane, Index planes, Index first, Index last);
    const char* aim(RowsToCome& coming);
    void aim_prefetches();
    Index move_on(Index straight, std::ptrdiff_t count);
    Index point(const Level& level, Index y, int planes);
    void form_ghosts(const Level& level, const KernelFunctions& functions, Index y, Index z, int planes);
    void form_ghost(const KernelFunctions& functions, domain::Side side, int group, std::byte* ghost, std::byte* inside);
    const std::byte* axis_entry(int axis, Index entry) const;

    const Plan& plan_;
    const RowLayout& layout_;
    SlabShape shape_;
    std::array<const std::byte*, ir::kGridAxes> axes_;
    int ghost_rows_, ghost_planes_;
    std::vector<Planes> planes_;  ///< by group
    std::vector<Level> levels_;
    std::vector<std::byte*> sources_;  ///< by pointer: the plane it points into
    std::vector<std::int64_t> beside_;
    RowsToCome ahead_, edge_;
    std::size_t edge_bytes_ = 0;            ///< of a row
    Memory edges_;                          ///< of the rows of a tile: RowArguments::edge
    std::vector<std::ptrdiff_t> next_row_;  ///< by pointer: bytes to the next row
    std::vector<void*> pointers_;
    std::vector<const void*> axis_pointers_;
    RowArguments arguments_{};
};

}  // namespace mottle::backend::cpu
