// mottle/backend/cpu/plane/band.h: the rows of one band of a grid, and the skewed wavefront that advances them several steps in place
#pragma once
#include "mottle/backend/cell_sum.h"
#include "mottle/backend/cpu/plane/band_shape.h"
#include "mottle/backend/cpu/plane/group_rows.h"
#include "mottle/backend/cpu/plane/heads.h"
#include "mottle/backend/cpu/emit/plan.h"
#include "mottle/backend/cpu/emit/row_kernel.h"
#include "mottle/backend/cpu/plane/strips.h"
#include "mottle/backend/cpu/emit/variants.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace mottle::backend::cpu {

/// One strip (the whole width, if rows are not cut) of consecutive rows of the grid, which goes round as a ring. A step reaches `radius` rows, and moves
/// the band on by as many: what its first rows need, it has then, and what its last rows need are the first rows of the next band, 2 * radius of them at
/// every step. So no row is computed twice, and no thread waits while the next is less than a pass behind (but for strips of one band on several threads).
class Band {
   public:
    /// `strips` outlives the band.
    Band(const Plan& plan, const Strips& strips, const BandShape& shape, const AxisTables& axes, const MapRows& maps);
    Band(const Band&) = delete;
    Band& operator=(const Band&) = delete;

    const BandShape& shape() const { return shape_; }
    const Strip& strip() const { return strip_; }
    /// The grid's row that is row `y` >= 0 of the band, as the state stands between passes.
    Index grid_row(Index y) const { return (origin_ + y) % shape_.height; }
    /// The band's row (0 .. height - 1; own are those below shape().rows) that is the grid's row `row`.
    Index band_row(Index row) const { return row < origin_ ? row - origin_ + shape_.height : row - origin_; }
    /// Vector 0 of an array in row y (0 .. rows - 1; of a map 0 .. height - 1), as the state stands between passes.
    std::byte* row(ir::Array array, Index y) { return cells_of(array, y, 0); }
    const std::byte* row(ir::Array array, Index y) const { return const_cast<Band*>(this)->row(array, y); }
    /// Copies the cells that neighbouring strips need from the rows of the grid that are `stale` into copy `parity` of the edges.
    void export_edges(Edges& edges, int parity, std::span<const std::atomic<bool>> stale);

    struct Launch {
        const NumberRows& numbers;
        const KernelFunctions& functions;
        Edges& edges;  ///< of rows in strips
        core::ThreadTeam& team;
        Index steps;
        bool prefetch;
        const ir::Program& program;
        int stages;  ///< UniformTable::stages
        /// The arrays that its last step makes and adds up.
        std::span<const SumSplit> sums;
    };
    struct Pass {
        Index number;  ///< of the launch
        int steps;     ///< <= most_steps
        Index first;   ///< number of its first step in the launch
        Index state;   ///< number of the state it starts from
        int parity;    ///< strips take their ghost cells from this copy of the edges, and leave their own in the other
    };
    void begin_launch(const Launch& launch);
    void begin_pass(const Launch& launch, const Pass& pass);
    Heads& heads() { return heads_; }
    enum class Progress { done, further, stuck };
    /// Goes on with a pass that is not done, as far as the band after this one (or this one itself) has come, whose heads are `next`.
    Progress go_on(const Launch& launch, Heads& next);
    bool done() const { return done_; }
    /// The shares of Launch::sums, in their order, of the cells that the launch has made.
    const std::vector<CellSum>& sums() const { return sums_; }
    /// Waits, where another worker advances the next band, until this one can go on.
    void wait_for(const Launch& launch, const Heads& next) const;

   private:
    static constexpr Index kNever = std::numeric_limits<Index>::max();

    /// Pointers that a call takes: to rows low .. low + rows - 1 + more of what it updates, `later` steps after it begins.
    struct CallRows {
        const GroupRows* rows;
        int low, later, more;
        const RowInput* input;  ///< none where it is an output
    };
    struct Rows {
        Index first = 0, end = 0;
    };
    struct Level {
        const StagePlan* stage = nullptr;
        Index time = 0;  ///< steps done before it, in this pass
        const StageFunctions* functions = nullptr;
        RowFunction function = nullptr;  ///< of so many rows, the most
        int rows = 0;
        const std::vector<CallRows>* call_rows = nullptr;
        bool reads_axes = false;
        bool adds_up = false;  ///< what it makes is added to the sums of the launch
        const std::byte *numbers = nullptr, *ghost_numbers = nullptr;
        Index delay = 0, first = 0, last = 0;  ///< rows it runs behind the first level; rows it computes
        Index takes_from = kNever;             ///< rows from here on need the first rows of the next band at this time
        Index gives_at = kNever;               ///< when it has come to this row, the band before can take the first rows that it has made
        Index plain_from = 0, plain_to = -1;   ///< a block that begins at one of these rows is a call, and nothing else
        std::array<Rows, 2> used{};            ///< rows of halos that are wrong by then, and need not be computed
        int joined = -1;                       ///< of joined_levels_: this level and the next, where both have a plain block
    };
    /// Where the cells that strips exchange stand in a row: own ones beside those of the neighbours, and the ghosts.
    struct EdgePlaces {
        std::vector<std::uint32_t> own_left, own_right, ghosts_left, ghosts_right;
    };
    /// The same after `time` steps of the pass.
    std::byte* cells_of(ir::Array array, Index y, Index time);
    template <class Work>
    void each_state(Index y, Index time, Work&& work);
    void export_row(Edges& edges, int parity, Index y, Index time);
    void import_row(Edges& edges, int parity, Index y);
    void give_head(const Launch& launch, Index time);
    bool take_head(const Heads& next, Index time);
    bool reads_in_place(const GroupRows& rows) const;
    /// Rows that the band has moved on after `time` steps of a pass.
    Index moved_by(Index time) const { return plan_.radius * time; }
    /// What Heads::given has come to when the rows of a time of this pass are there.
    std::uint64_t given_by(Index time) const { return static_cast<std::uint64_t>(pass_.first + time + 1); }
    void share_prefetches();
    void make_levels(const Launch& launch, const Pass& pass);
    void join_levels(const Launch& launch, bool flush);
    std::array<Rows, 2> used_rows(Index used) const;
    bool is_used(const Level& level, Index from) const;
    bool is_plain(const Level& level, Index from) const;
    bool sweep_levels(const Launch& launch, const Heads& next);
    void run(const Level& level, Index row, Index stop);
    Index rows_to_seam(Index y) const;
    void call(const Level& level, Index row, int rows, RowFunction function, bool at_seam);
    void add_up(Index row, int rows, Index time);
    std::byte* const* with_borders(const RowInput& input, Index row, int rows, Index time, std::byte* const* first);
    void aim_axes(const StagePlan& stage, Index row, int rows);
    const void* mirrored_table(const std::byte* here, std::size_t axis, Index row, int rows);
    const GroupRows& rows_of(int group) const { return rows_[core::at(group)]; }

    const Plan& plan_;
    const Strips& strips_;
    const Strip& strip_;
    const RowLayout& layout_;
    EdgePlaces places_;
    BandShape shape_;
    AxisTables axes_;
    Index origin_;     ///< the grid's row that is row 0
    Index head_rows_;  ///< of the next band that the last rows of this one need at every step
    Heads heads_;
    std::vector<GroupRows> rows_;                   ///< by group
    std::vector<std::vector<CallRows>> call_rows_;  ///< by stage, then of joined ones, in the order of the kernel's row pointers
    const KernelFunctions* functions_ = nullptr;    ///< of this pass
    std::vector<Memory> scratch_;                   ///< by group: ghost row above, then below
    std::vector<Level> levels_, joined_levels_;
    std::vector<ir::Array> summed_;
    std::vector<CellSum> sums_;  ///< of these arrays
    std::vector<const void*> lists_;
    std::vector<std::vector<std::byte*>> beyond_;  ///< by group: the rows of one call, with those beyond a border
    std::vector<const void*> axis_pointers_;
    std::vector<std::byte> mirrored_;  ///< by ir::Axis: a y table for one call, where rows wrap and coordinates do not
    RowArguments arguments_{};
    Pass pass_{};
    /// Where a level begins to prefetch: bytes behind the first row to come of a group.
    struct Fetch {
        const GroupRows* rows;
        std::size_t offset;
    };
    std::vector<Fetch> fetches_;   ///< by level
    std::int64_t fetch_step_ = 0;  ///< bytes of the rows to come that each level prefetches in a column
    Index front_ = 0;              ///< the first row of the next block, seen from the first level
    std::size_t level_ = 0;        ///< that does its rows of the block next
    std::size_t live_ = 0;         ///< first level that has rows left to do
    bool done_ = true;             ///< with the pass
    Index taken_ = 0;              ///< times of the pass whose first rows have come from the next band
    Index imported_ = 0;           ///< rows whose ghost cells have come from the strips beside
    Index exported_ = 0;           ///< rows whose edges the strips beside can take
};

}  // namespace mottle::backend::cpu
