// mottle/backend/cpu/band.h: the rows of one band of a grid, and the skewed wavefront that advances them several steps in place
#pragma once
#include "mottle/backend/cpu/memory.h"
#include "mottle/backend/cpu/plan.h"
#include "mottle/backend/cpu/row_kernel.h"
#include "mottle/backend/cpu/strips.h"
#include "mottle/backend/cpu/variants.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace mottle::backend::cpu {

struct BandShape {
    Index first = 0, rows = 0;         ///< of the grid
    int strip = 0;                     ///< of each row
    bool top = false, bottom = false;  ///< a border of the grid beyond which some array does not wrap
    bool above = true, below = true;   ///< ghost rows: other bands, or a border around which some array wraps
    int most_steps = 1;                ///< fused in one pass
    int block = 1;                     ///< rows one call updates
};

/// Coordinate tables a band reads: x tables are lane-transposed rows; y and z tables hold one number per row.
struct AxisTables {
    std::array<const std::byte*, 9> table{};  ///< by ir::Axis; y tables start one row above the first ghost row
    bool mirrored = false;  ///< the rows that a border row sees beyond it have mirrored coordinates, though ghost rows wrap
};

/// One strip (the whole width, if rows are not cut) of consecutive rows.
class Band {
   public:
    /// `strips` outlives the band.
    Band(const Plan& plan, const Strips& strips, const BandShape& shape, const AxisTables& axes);
    ~Band();
    Band(const Band&) = delete;
    Band& operator=(const Band&) = delete;

    const BandShape& shape() const { return shape_; }
    const Strip& strip() const { return strip_; }
    int ghost_rows() const { return ghost_rows_; }
    /// Vector 0 of an array in row y (-ghost_rows .. rows + ghost_rows - 1), as the state stands between passes.
    std::byte* row(ir::Array array, Index y);
    const std::byte* row(ir::Array array, Index y) const { return const_cast<Band*>(this)->row(array, y); }
    /// Copies the ghost rows for `steps` steps from the bands above and below (this one itself where the grid is one band).
    void fetch_ghost_rows(const Band& above, const Band& below, int steps);
    /// Copies the cells that neighbouring strips need from every row into copy `parity` of the edges.
    void export_edges(Edges& edges, int parity);

    struct Launch {
        const NumberRows& numbers;
        const KernelFunctions& functions;
        Edges& edges;  ///< of rows in strips
        Index grid_rows;
        bool prefetch;
    };
    /// Advances by `steps` <= most_steps; `first` is the number of the first step in the launch, `number` that of the state it starts from.
    /// Strips take their ghost cells from copy `parity` of the edges and leave their own in the other.
    void advance(const Launch& launch, int steps, Index first, Index number, int parity);

   private:
    struct Rows {
        std::byte* memory = nullptr;
        std::size_t slot_bytes = 0;
        Index capacity = 0;
        Index base = 0;       ///< slot of row 0
        bool shifts = false;  ///< up by one slot with every step
        /// Vector 0 of each slot; the first slots follow the last again, so that the rows of a call stand in order.
        std::vector<std::byte*> vector_0;
        /// Of row y as it stands after `time` steps of this pass.
        Index slot(Index y, Index time) const;
    };
    /// Pointers that a call takes: to rows low .. low + rows - 1 + more of what it updates, `later` steps after it begins.
    struct Take {
        const Rows* rows;
        int low, later, more;
        const RowInput* input;  ///< none where it is an output
    };
    struct Level {
        int stage;
        Index time;  ///< steps done before it, in this pass
        const StageFunctions* functions;
        RowFunction function;  ///< of so many rows, the most
        int rows;
        const std::vector<Take>* takes;
        bool reads_axes;
        const std::byte *numbers, *ghost_numbers;
        Index delay, first, last;  ///< rows it runs behind the first level; rows it computes
    };
    /// Where the cells that strips exchange stand in a row: own ones beside those of the neighbours, and the ghosts.
    struct EdgePlaces {
        std::vector<std::uint32_t> own_left, own_right, ghosts_left, ghosts_right;
    };
    template <class Work>
    void each_state(Index y, Index time, Work&& work);
    void export_row(Edges& edges, int parity, Index y, Index time);
    void import_row(Edges& edges, int parity, Index y, Index grid_rows);
    void make_levels(int steps, Index first, Index number, const NumberRows& numbers, const KernelFunctions& functions);
    void run(const Level& level, Index row, Index stop);
    void call(const Level& level, Index row, int rows, RowFunction function);
    std::byte* const* with_borders(const RowInput& input, Index row, int rows, Index time, std::byte* const* first);
    void aim_axes(const StagePlan& stage, Index row, int rows);
    const void* mirrored_table(const std::byte* table, std::size_t axis, Index row, int rows);
    std::byte* pointer(int group, Index y, Index time) const;
    std::byte* row_at(ir::Array array, Index y, Index time);
    void copy_row(int group, Index y, const Band& from, Index from_y);

    const Plan& plan_;
    const Strips& strips_;
    const Strip& strip_;
    const RowLayout& layout_;
    EdgePlaces places_;
    BandShape shape_;
    AxisTables axes_;
    int ghost_rows_;
    bool closed_;                                 ///< at a border of the grid
    std::vector<Rows> rows_;                      ///< by group
    std::vector<std::vector<Take>> takes_;        ///< by stage, in the order of the kernel's row pointers
    const KernelFunctions* functions_ = nullptr;  ///< of this pass
    std::vector<std::byte*> scratch_;             ///< by group: ghost row above, then below
    std::vector<Level> levels_;
    std::vector<const void*> lists_;
    std::vector<std::vector<std::byte*>> beyond_;  ///< by group: the rows of one call, with those beyond a border
    std::vector<const void*> axis_pointers_;
    std::vector<std::byte> mirrored_;  ///< by ir::Axis: a y table for one call, where rows wrap and coordinates do not
    RowArguments arguments_{};
};

}  // namespace mottle::backend::cpu
