// mottle/backend/cpu/plane/group_rows.h: the rows of one group of arrays in a band, each in a slot of a ring
#pragma once
#include "mottle/backend/cpu/compile/memory.h"
#include "mottle/backend/cpu/emit/plan.h"
#include "mottle/backend/cpu/plane/row_layout.h"

#include <vector>

namespace mottle::backend::cpu {

/// Row y of a shifting group moves up by one slot with every step; a row of any other group stays where it is.
class GroupRows {
   public:
    /// `capacity` slots. `reach`: rows that a call finds in order. `memory`: memory_bytes(..) that others share, or null for rows of one's own.
    GroupRows(const Group& group, const RowLayout& layout, Index capacity, Index reach, std::byte* memory = nullptr);
    /// The number of rows.
    static std::size_t memory_bytes(const Group& group, const RowLayout& layout, Index rows);
    static std::size_t slot_bytes(const Group& group, const RowLayout& layout);

    bool shifts() const { return shifts_; }
    std::size_t slot_bytes() const { return slot_bytes_; }
    /// From vector 0 of the first array to the ghosts of the last, those of the first included.
    std::size_t row_bytes() const { return row_bytes_; }
    /// Vector 0 of row y as it stands after `time` steps of this pass.
    std::byte* at(Index y, Index time) const { return vector_0_[slot(y, time)]; }
    /// Where row y begins, ghosts included.
    std::byte* start(Index y, Index time) const { return at(y, time) - vector_bytes_; }
    /// The same pointers for rows y, y + 1, .., y + reach - 1.
    std::byte* const* list(Index y, Index time) const { return vector_0_.data() + slot(y, time); }
    /// From now on row y, which is never written, is read at `start`.
    void read_from(Index y, Index time, std::byte* start) { vector_0_[slot(y, time)] = start + vector_bytes_; }
    /// Makes row y, after `steps` steps, row 0 of the next pass.
    void begin_at(Index y, Index steps) { base_ = static_cast<Index>(slot(y, steps)); }

   private:
    // More than one turn is rare: only for the small ring of held rows and for maps of few rows.
    std::size_t slot(Index y, Index time) const {
        Index at = base_ + y - (shifts_ ? time : 0);
        if (at >= capacity_) at -= capacity_;
        if (at < 0) at += capacity_;
        if (at < 0 || at >= capacity_) [[unlikely]] {
            at %= capacity_;
            if (at < 0) at += capacity_;
        }
        return core::at(at);
    }

    Memory own_;
    bool shifts_;
    std::size_t slot_bytes_, row_bytes_, vector_bytes_;
    Index capacity_, base_ = 0;         ///< slots; that of row 0
    std::vector<std::byte*> vector_0_;  ///< of each slot; the first slots follow the last again, so that the rows of a call stand in order
};

}  // namespace mottle::backend::cpu
