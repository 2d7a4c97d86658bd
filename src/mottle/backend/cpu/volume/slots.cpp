// mottle/backend/cpu/volume/slots.cpp: where the rows of a plane, or the planes of a slab, stand in memory while a slab moves on
#include "mottle/backend/cpu/volume/slots.h"

#include <algorithm>
#include <utility>

namespace mottle::backend::cpu {
namespace {

// Nearly always less than n away, and a division takes as long as many additions.
Index modulo(Index i, Index n) {
    if (i >= n) i -= n;
    if (i < 0) i += n;
    return i >= 0 && i < n ? i : (i % n + n) % n;
}

}  // namespace

// The ring has room for all rows that stand in it during a pass, with those beyond a border, and for those that come back to it after the pass.
Slots Slots::of_state(const SlabAxis& axis, bool shifts, int most_steps) {
    Slots slots;
    slots.axis_ = axis;
    slots.shift_ = shifts ? 1 : 0;
    slots.heads_ = axis.head_count();
    for (Index time = 0; time <= most_steps && slots.heads_ > 0; ++time) slots.head_slots_.push_back(time * slots.heads_);
    slots.ring_ = std::ssize(slots.head_slots_) * slots.heads_;
    const Index drift = axis.moved_by(most_steps) - slots.shift_ * most_steps, end = axis.most + std::max<Index>(drift, 0);
    slots.capacity_ = axis.rotates() ? std::max<Index>(end - slots.heads_, 1) : end + 2 + slots.shift_ * most_steps;
    return slots;
}

Slots Slots::of_ring(const SlabAxis& axis, Index capacity, Index base) {
    Slots slots;
    slots.axis_ = axis;
    slots.capacity_ = capacity;
    slots.base_ = base;
    return slots;
}

Index Slots::of(Index i, Index time) const {
    if (heads_ > 0) {
        const Index place = i - axis_.moved_by(time);
        if (!axis_.border_before && place < heads_) return head_slots_[core::at(time)] + place;
        if (!axis_.border_after && place >= axis_.extent) return head_slots_[core::at(time)] + (place - axis_.extent) % heads_;
    }
    return ring_ + modulo(base_ + i - shift_ * time, capacity_);
}

Index Slots::of_gained(Index i, int steps) const {
    const Index place = i - axis_.moved_by(steps);
    if (!axis_.border_before && place < heads_) return head_slots_[core::at(steps)] + place;
    return ring_ + modulo(base_ + i, capacity_);
}

Index Slots::run(Index i, Index time) const {
    const Index in_ring = capacity_ - 1 - modulo(base_ + i - shift_ * time, capacity_);
    if (heads_ == 0) return in_ring;
    const Index place = i - axis_.moved_by(time);
    if (!axis_.border_before && place < heads_) return heads_ - 1 - place;
    if (axis_.border_after) return in_ring;
    return place >= axis_.extent ? 0 : std::min(in_ring, axis_.extent - 1 - place);
}

void Slots::end_pass(int steps) {
    base_ = modulo(base_ + (axis_.rotates() ? axis_.moved_by(steps) : 0) - shift_ * steps, capacity_);
    if (heads_ > 0 && axis_.rotates()) std::swap(head_slots_.front(), head_slots_[core::at(steps)]);
}

}  // namespace mottle::backend::cpu
