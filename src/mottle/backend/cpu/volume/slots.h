// mottle/backend/cpu/volume/slots.h: where the rows of a plane, or the planes of a slab, stand in memory while a slab moves on
#pragma once
#include "mottle/backend/cpu/emit/plan.h"

#include <algorithm>
#include <vector>

namespace mottle::backend::cpu {

using core::Index;

/// A slab along y or z. With every step of a pass it moves on by what a step reaches, except at a border of the grid: what its first rows need, it has
/// then, and what its last rows need are the first rows of the slab that follows, 2 * reach of them at every time: the heads.
struct SlabAxis {
    Index extent = 0;                                  ///< rows, or planes, that it computes
    Index most = 0;                                    ///< of the largest slab, so that all have slots for as many
    Index whole = 0;                                   ///< of the grid
    Index reach = 0;                                   ///< of a step
    bool closed = false;                               ///< the grid ends somewhere: after a pass slabs go back to where they were
    bool border_before = false, border_after = false;  ///< this slab begins or ends there, or nothing is read beyond

    Index moved_by(Index time) const { return reach * time; }
    Index first_at(Index time) const { return border_before ? 0 : moved_by(time); }
    Index end_at(Index time) const { return border_after ? extent : extent + moved_by(time); }
    /// The slabs of the axis move on, and stay there.
    bool rotates() const { return !closed && reach > 0; }
    Index head_count() const { return reach == 0 || (border_before && border_after) ? 0 : std::min(2 * reach, extent); }
};

/// The slots of the rows of each plane, or of the planes, of one group of arrays. Row i is counted from the first one that the slab had when the pass began.
/// A head has a slot of its own for every time, and is never copied. All others go round in a ring.
class Slots {
   public:
    /// Of a state. `shifts`: row i of time t stands in the slot of row i - 1 of time t - 1.
    static Slots of_state(const SlabAxis& axis, bool shifts, int most_steps);
    /// Of `capacity` rows that go round, and whose heads do not stand apart. Row `base` is the first.
    static Slots of_ring(const SlabAxis& axis, Index capacity, Index base);

    Index count() const { return ring_ + capacity_; }
    /// The slot of row i after `time` steps of the pass: of this slab, or of the one that follows.
    Index of(Index i, Index time) const;
    bool is_beyond(Index i, Index time) const { return heads_ > 0 && !axis_.border_after && i - axis_.moved_by(time) >= axis_.extent; }
    /// Where a row, one that this slab has had to the last, stands when a pass of `steps` has ended, before it goes back.
    Index of_gained(Index i, int steps) const;
    /// How many more rows stand in the slots that follow that of row i.
    Index run(Index i, Index time) const;
    /// The slot where the ring begins; it ends with the last slot.
    Index ring_begin() const { return ring_; }
    /// The slab as it stands after a pass.
    void end_pass(int steps);

   private:
    SlabAxis axis_;
    Index shift_ = 0, heads_ = 0;
    Index ring_ = 0, capacity_ = 0, base_ = 0;
    std::vector<Index> head_slots_;  ///< by time: of the first head
};

}  // namespace mottle::backend::cpu
