// mottle/benchmarks/baseline/lane_rows.h: a band of rows for the skewed wavefront: lane-transposed, circular in y
#pragma once
#include "baseline/machine.h"
#include "baseline/row_kernel.h"

#include <array>

namespace mottle::benchmarks {

/// How the cells of one row lie in vectors: vector j holds cells j, j + columns, j + 2 columns, ... so that the x-neighbours of a vector are the
/// vectors beside it. If the width is no multiple of the lanes, neighbouring segments overlap by one cell.
struct LaneLayout {
    int width, lanes, columns;
    alignas(64) std::array<std::uint32_t, kMaxLanes> overlap_left{}, overlap_right{};
    bool overlaps = false;

    LaneLayout(int width_, int lanes_);
    int first_cell(int lane) const { return static_cast<int>(static_cast<long>(lane) * (width - columns) / (lanes - 1)); }
};

/// Rows of u and v of one worker (or one strip of a worker): `rows` of its own and `depth` ghost rows above and below. In a pass the row y of level t goes
/// to the place of row y - 1 of level t - 1, so after T levels the band lies T rows higher: memory for one copy of the fields is enough.
class Band {
   public:
    Band(const LaneLayout& layout, int rows, int depth);

    int rows() const { return rows_; }
    int depth() const { return depth_; }
    const LaneLayout& layout() const { return layout_; }
    /// u of row -depth .. rows + depth - 1; v stands `field` floats further.
    float* row(int y) const { return memory_.data() + place(y) * static_cast<std::size_t>(pitch_) + layout_.lanes; }
    int field() const { return field_; }
    /// A whole row from its first ghost vector: `pitch` floats.
    float* whole_row(int y) const { return row(y) - layout_.lanes; }
    int pitch() const { return pitch_; }
    void moved_up(int rows);

    /// Pointers to `count` rows from row `y` on.
    void rows_from(int y, int count, float** out) const;
    void write(int y, const float* u, const float* v) const;
    void read(int y, float* u, float* v) const;
    void close(int y) const;  ///< fills the ghost vectors of a row that was written from outside

   private:
    std::size_t place(int y) const {
        int at = base_ + y + depth_;
        if (at >= capacity_) at -= capacity_;
        if (at < 0) at += capacity_;
        return static_cast<std::size_t>(at);
    }

    const LaneLayout& layout_;
    int rows_, depth_, capacity_, field_, pitch_, base_ = 0;
    HugeBuffer memory_;
};

}  // namespace mottle::benchmarks
