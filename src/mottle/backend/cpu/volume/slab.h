// mottle/backend/cpu/volume/slab.h: consecutive rows of every plane of a volume, and the skewed wavefront from plane to plane that advances them in place
#pragma once
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/backend/cpu/emit/variants.h"
#include "mottle/backend/cpu/plane/group_rows.h"
#include "mottle/backend/cpu/volume/slots.h"

#include <array>
#include <vector>

namespace mottle::backend::cpu {

struct SlabShape {
    Index first = 0;              ///< of the grid's rows, before the first step
    SlabAxis y, z;                ///< rows and planes
    std::array<bool, 6> halos{};  ///< by domain::Side: borders that are halos, where a step leaves cells wrong that need not be computed
    int most_steps = 1;           ///< fused in one pass
    int block = 1;                ///< planes one call updates
    Index tile = 0;               ///< rows whose planes a pass goes through before the next; 0: all
    Index piece = 0;              ///< vectors of a row that one call updates; 0: all
};

/// The maps of a grid, which its slabs share.
class VolumeMaps {
   public:
    VolumeMaps(const Plan& plan, const RowLayout& layout, const SlabShape& shape);
    std::byte* data(std::size_t group) const { return memory_[group].data(); }

   private:
    std::vector<Memory> memory_;  ///< by group
};

/// What Band is to a plane, with planes in the part of its rows: one level of the wavefront does a block of planes, row by row, and the next level
/// follows a plane behind. Row y of plane z of time t stands in the slot of row y-1 of plane z-1 of time t-1: the slot that no later row of the block
/// reads. Where the grid does not end the slab moves on with every step, in y and in z (Slots), so no cell is computed twice or copied. Ghosts beyond a border
/// are formed right before they are read.
///
/// A pass of several steps goes tile by tile: the rows of a tile slant up by one with every level, so that a level finds what the tile above has left.
/// The live window of a tile, some 2 * steps planes of its rows, should fit the L2. Steps of several stages take one
/// tile, since held planes are gone when the next begins.
class Slab {
   public:
    struct Launch {
        const NumberRows& numbers;
        const KernelFunctions& functions;
        const ir::Program& program;
        int stages;  ///< UniformTable::stages
    };
    /// A pass goes through its tiles, in each through the blocks of planes that its first level comes to, and in each of these through the levels. All slabs of
    /// a grid have as many.
    struct Course {
        Index tiles, fronts, steps, stages;
        Index levels() const { return steps * stages; }
        Index sweeps() const { return tiles * fronts * levels(); }
        /// Whether a level makes heads that the slab before may wait for.
        bool gives(Index level) const { return steps > 1 && (level + 1) % stages == 0; }
        /// How many sweeps the next slab must have begun before rows of a level read its heads: with the last of them it makes the heads of that time, or it has
        /// made them in a tile before. (Where a slab is thinner than a pass is deep, tiles that are not the last read them, too.)
        Index needs(Index tile, Index front, Index level) const {
            return level < stages ? 0 : (tile * fronts + front) * levels() + level / stages * stages;
        }
    };

    /// Rows of a level, in the order in which they are computed: what the slab before waits for, and what waits for the one that follows.
    enum class Part { heads, middle, last };

    /// `plan`, `layout` and `maps` outlive the slab. `axes`, by ir::Axis: y and z tables of the whole grid, from one entry before its first cell on.
    Slab(const Plan& plan, const RowLayout& layout, const SlabShape& shape, const std::array<const std::byte*, ir::kGridAxes>& axes,
         const VolumeMaps& maps);
    /// Says which slab follows in y, maybe itself.
    void join(const Slab& next);

    const SlabShape& shape() const { return shape_; }
    /// The row, or the plane, of the slab that is one of the grid, as the state stands between passes; others have numbers that the slab does not have.
    Index row_of(Index y) const { return shape_.y.closed ? y - first_row_ : (y - first_row_ + shape_.y.whole) % shape_.y.whole; }
    Index plane_of(Index z) const { return (z - first_plane_ + shape_.z.whole) % shape_.z.whole; }
    /// Vector 0 of an array in row y of plane z, as the state stands between passes.
    std::byte* row(ir::Array array, Index y, Index z) { return pointer(plan_.group_of[core::at(array)], y, z, 0) + place_of(array); }
    const std::byte* row(ir::Array array, Index y, Index z) const { return const_cast<Slab*>(this)->row(array, y, z); }

    /// Of `steps` <= most_steps; `first` is the number of the first step in the launch, `number` that of the state it starts from.
    void begin_pass(const Launch& launch, int steps, Index first, Index number);
    Course course() const;
    struct RowRange {
        Index first, last;
        bool empty() const { return last < first; }
    };
    RowRange rows_of(Index level, Index tile) const;
    RowRange rows_of(Index level, Index tile, Part part) const;
    /// Whether these rows of a level read heads of the slab that follows.
    bool reads_beyond(Index level, const RowRange& rows) const;
    void begin_front(Index tile, Index front);
    void sweep(Index front, Index level, const RowRange& rows);
    void end_pass();
    /// Where the grid ends in y: takes back the rows that the slab above has gained in the pass, after `end_pass` of both.
    void take_back_rows(const Slab& above);

    core::Milestone given;  ///< sweeps of the launch whose heads are there

   private:
    /// Where a group stands.
    struct Store {
        Memory memory;              ///< none where it is shared
        std::byte* data = nullptr;  ///< the first slot
        std::size_t row_bytes = 0, plane_bytes = 0;
        Slots rows, planes;
        std::ptrdiff_t next = 0;  ///< bytes to the same slot of the slab that follows
    };
    struct Level {
        int stage;
        Index time;  ///< steps done before it, in this pass
        const StageFunctions* functions;
        const std::byte *numbers, *ghost_numbers;
        Index delay;                                         ///< planes it runs behind the first level
        Index first_row, last_row, first_plane, last_plane;  ///< that it computes
    };
    /// Cache lines to prefetch, some rows of consecutive planes: each call goes on by `share` of them, and fetches as many as it has columns.
    struct RowsToCome {
        const std::byte* base = nullptr;  ///< the next plane
        Index plane = 0, planes = 0;      ///< its number; planes from there on
        Index time = 0, offset = 0;       ///< bytes from a plane to the first of the rows
        Index in_plane = 0, line = 0;     ///< lines of each plane; the next
        Index share = 1;
        Index lines() const { return planes * in_plane; }
    };
    bool is_state(std::size_t group) const { return cpu::is_state(plan_.groups[group]); }
    std::size_t place_of(ir::Array array) const { return core::at(plan_.ordinal_of[core::at(array)]) * layout_.array_pitch(); }
    std::byte* plane_at(int group, Index z, Index time) const;
    std::ptrdiff_t row_offset(int group, Index y, Index time) const;
    std::byte* pointer(int group, Index y, Index z, Index time) { return plane_at(group, z, time) + row_offset(group, y, time); }
    void make_levels(const Launch& launch, int steps, Index first, Index number);
    Index tiles() const;
    Index end_of(Index tile) const;
    Index end_of_call(const Level& level, Index z, Index stop);
    void sweep_planes(const Level& level, const RowRange& rows, Index z, int planes, RowFunction function);
    Index pieces() const { return (layout_.columns() + shape_.piece - 1) / shape_.piece; }
    void begin_edge(const Level& level, const RowRange& rows, Index z, int planes);
    RowsToCome rows_to_come(Index time, Index plane, Index planes, Index first, Index last);
    const char* aim(RowsToCome& coming);
    void aim_prefetches();
    void aim_axes(const StagePlan& stage, Index y, Index z);
    Index move_on(Index straight, std::ptrdiff_t count);
    Index point(const Level& level, Index y, Index z, int planes);
    bool is_outside(Index plane) const { return shape_.z.closed && (plane < 0 || plane >= shape_.z.extent); }
    std::byte* ghost_of_plane(int group, Index plane, Index time, std::ptrdiff_t offset);
    bool bring(int group, const std::byte* from, std::byte* place) const;
    void form_rows_beside(const Level& level, Index y, Index z, int planes);
    std::byte* form_ghost(domain::Side side, int group, std::byte* ghost, std::byte* inside);

    const Plan& plan_;
    const RowLayout& layout_;
    SlabShape shape_;
    std::array<const std::byte*, ir::kGridAxes> axes_;
    Index first_row_, first_plane_ = 0;  ///< of the grid: row 0 and plane 0
    std::vector<Store> stores_;          ///< by group
    std::vector<Memory> beyond_;         ///< by group: the ghost rows that one call reads in planes in front of the grid, and behind it
    const KernelFunctions* functions_ = nullptr;
    int steps_ = 0;   ///< of the pass
    Index tile_ = 0;  ///< that it is in
    std::vector<Level> levels_;
    std::vector<std::int64_t> beside_;
    RowsToCome ahead_, edge_;
    std::size_t edge_bytes_ = 0;            ///< of a row
    Memory edges_;                          ///< of the rows of a tile: RowArguments::edge
    std::vector<std::byte*> sources_;       ///< by pointer: the plane it points into
    std::vector<std::ptrdiff_t> next_row_;  ///< by pointer: bytes to the next row
    std::vector<void*> pointers_;
    std::vector<const void*> axis_pointers_;
    RowArguments arguments_{};
};

}  // namespace mottle::backend::cpu
